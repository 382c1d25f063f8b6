import { quoted } from '../evidence.ts';
import type { Rule } from '../rule.ts';

/** No keepalive (go-control-plane#1236). */
export const idleCut: Rule = {
  id: 'idle-cut',
  area: 'connection',
  cause: 'the connection is cut again and again while it is idle, as a load balancer does that sees no traffic; no keepalive prevents it',
  symptom: '`closed since 263s ago: 14, … connection termination`, or 13 every minute',
  rulesOut: 'connection_keepalive or tcp_keepalive in the cluster that leads to istiod',
  next: 'fake-istiod check BOOTSTRAP; idle timeout of what stands between',
  fits: (seen) => {
    const cut = seen.log(/closed.*: 1[34], .*(connection[ _]termination|connection[ _]reset)/);
    const bare = seen.xdsStatics.filter(({ keepalive }) => !keepalive);
    return cut.length > 1 ? [...cut.slice(-2), ...bare.map(({ at, name }) => quoted(at, `cluster ${name} has no keepalive`))] : [];
  },
  whenReady: true,
};
