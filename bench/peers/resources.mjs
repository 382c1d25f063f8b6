// What both servers serve: the same as `newResource` in server/content.go makes.
const makers = {
  clusters(name, size, round) {
    const stat = String(round).padStart(8, '0');
    return {
      name,
      alt_stat_name: stat + 'x'.repeat(Math.max(0, size - name.length - stat.length - 16)),
      connect_timeout: '1s',
      type: 'STATIC',
    };
  },
  endpoints: (name, _, round) => ({ cluster_name: name, policy: { endpoint_stale_after: `${round + 1}s` } }),
};

/** A resource in Envoy's JSON form. `kind`: clusters or endpoints. */
export function made(kind, index, size, round) {
  return makers[kind](`outbound|80||service-${String(index).padStart(5, '0')}.default.svc.cluster.local`, size, round);
}
