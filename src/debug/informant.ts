import { DebugTypeUrl } from '../protocol/debug-type.ts';
import type { Status } from '../protocol/response.ts';
import type { Information, Question } from '../session/informant.ts';
import { mayAsk, seenNamespace } from './access.ts';
import { controlPlaneIdentifier } from './build.ts';
import { connectionNamed, connectionsOf, namespaceOf } from './connection.ts';
import { answerDebug, pathOf } from './debug-paths.ts';
import type { DebuggedIstiod, KnownCaller } from './face.ts';

const unauthenticated: Status = { code: 16, message: 'authentication required' };
const notOneName: Status = { code: 3, message: 'exactly one debug request is required' };

/**
 * Answers a question that came over ADS (istio statusgen.go, debuggen.go).
 *
 * @param caller who asks, as it has proved; undefined: nobody in particular
 */
export async function inform(question: Question, caller: KnownCaller | undefined, istiod: DebuggedIstiod): Promise<Information | Status> {
  if (!caller && istiod.quirks['debug-identity'] === 'required') return unauthenticated;
  if (question.typeUrl === DebugTypeUrl.anything) return anything(question.names, caller, istiod);
  if (question.typeUrl === DebugTypeUrl.sync) {
    const { clientStatus } = await import('./client-status.ts');
    const controlPlane = controlPlaneIdentifier(istiod.podName);
    return { resources: clientStatus(istiod, seenNamespace(caller)), controlPlane };
  }
  if (question.typeUrl === DebugTypeUrl.configDump) return configDump(question.names, caller, istiod);
  return { resources: [] };
}

async function anything(names: readonly string[], caller: KnownCaller | undefined, istiod: DebuggedIstiod): Promise<Information | Status> {
  const [name] = new Set(names);
  if (name === undefined || new Set(names).size !== 1) return notOneName;
  if (!mayAsk(caller, pathOf(name))) {
    const identity = JSON.stringify(caller?.spiffeId);
    return { code: 7, message: `the debug info is not available for current identity: ${identity}` };
  }
  const { body } = await answerDebug(name, { istiod, namespace: seenNamespace(caller) });
  return { resources: [{ typeUrl: DebugTypeUrl.anything, name, value: Buffer.from(body) }] };
}

/** A proxy that is not there, or not to be seen, gives an empty answer. */
async function configDump(names: readonly string[], caller: KnownCaller | undefined, istiod: DebuggedIstiod): Promise<Information> {
  const [name] = new Set(names);
  const found = name === undefined || new Set(names).size !== 1 ? undefined : connectionNamed(connectionsOf(istiod), name);
  const namespace = seenNamespace(caller);
  if (!found || (namespace !== undefined && namespaceOf(found.node) !== namespace)) return { resources: [] };
  const { dumpMessages } = await import('./config-dump.ts');
  return { resources: dumpMessages(found, istiod) };
}
