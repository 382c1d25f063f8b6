import type { ControlClient } from '../control/control-client.ts';
import type { Node } from '../index.ts';
import type { RemoteIstiod } from '../runner/remote-istiod.ts';

/** A fake istiod behind a control API, as `verify` follows it, until `calledOff` aborts. Errors as the client's. */
export async function remoteIstiod(client: ControlClient, calledOff: AbortSignal): Promise<RemoteIstiod> {
  const options = { signal: calledOff };
  const { xdsAddress } = await client.call('GET /state', {}, options);
  return {
    xdsAddress,
    async look() {
      const { nowMs, newestSeq, neverFired } = await client.call('GET /state', {}, options);
      return { nowMs, newestSeq, neverFired };
    },
    events: (fromSeq, signal) => client.events({ from: String(fromSeq) }, { signal }),
    async report(event) {
      await client.call('POST /events', { body: { ...event } }, options);
    },
    async mark(moment) {
      await client.call('POST /commands', { body: { mark: moment } }, options);
    },
    async nodesByStream() {
      const { nodes } = await client.call('GET /nodes', {}, options);
      const found = nodes.flatMap((node): [unknown, Node][] => node.streams.map(({ stream }) => [stream, node as Node]));
      return new Map(found);
    },
  };
}

/** The name of the scenario that it plays; undefined if it plays none. */
export async function playedScenario(client: ControlClient, calledOff: AbortSignal): Promise<string | undefined> {
  return (await client.call('GET /state', {}, { signal: calledOff })).scenario;
}
