import type { Rule } from '../rule.ts';

/** The same errno as a NACK, another outcome (istio#38824). */
export const addressInUse: Rule = {
  id: 'address-in-use',
  area: 'bootstrap',
  cause: 'somebody else has the address of the admin API, of a static listener or of pilot-agent, so the process ends',
  symptom: 'exit 1; `Address already in use` for 15000, 15020, 15021 or 15090',
  rulesOut: 'a free port: no second sidecar, no hostNetwork neighbour',
  next: 'ss -ltnp in the network of the pod',
  shows: (seen, { class: kind }) =>
    kind === 'crash-loop' || kind === 'unknown'
      ? seen
          .log(/cannot bind '.*': Address already in use|address already in use/)
          .filter(({ text }) => !/^lds: |Error adding\/updating listener/.test(text))
      : [],
  detail: (seen) =>
    /'?[\d.:[\]]*:(\d+)'?:? (bind: )?[Aa]ddress already in use/.exec(seen.log(/[Aa]ddress already in use/).at(-1)?.text ?? '')?.[1],
  refines: ['bootstrap-rejected'],
};
