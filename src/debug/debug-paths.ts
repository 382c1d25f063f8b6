import { jsonAnswer, notFound, type DebugAnswer } from './answer.ts';
import type { DebugPath, DebugQuestion } from './path.ts';
import { proxyPaths } from './proxy-paths.ts';
import { serverPaths } from './server-paths.ts';

/** What Go's mux has as paths of their own. */
const withQuery = ['adsz?push=true', 'cachez?clear=true', 'cachez?sizes=true'];

/** All that can be asked, by the path below `/debug/`. */
export const debugPaths: Readonly<Record<string, DebugPath>> = {
  ...proxyPaths,
  ...serverPaths,
  list: { help: 'These paths', listed: false, answer: ({ pretty }) => jsonAnswer(listedPaths(), pretty) },
};

/** `/debug/list`: sorted, as istiod has it. */
export function listedPaths(): readonly string[] {
  const names = Object.entries(debugPaths).flatMap(([name, { listed }]) => (listed === false ? [] : [name]));
  return [...names, ...withQuery].sort();
}

/** Answers what stands below `/debug/`, e.g. `edsz?proxyID=me-0.demo`. */
export function answerDebug(
  pathAndQuery: string,
  { istiod, namespace }: Pick<DebugQuestion, 'istiod' | 'namespace'>,
): DebugAnswer | Promise<DebugAnswer> {
  const { path, query } = parts(pathAndQuery);
  const known = Object.hasOwn(debugPaths, path) ? debugPaths[path] : undefined;
  return known?.answer({ istiod, namespace, query, pretty: query.has('pretty') }) ?? notFound;
}

/** `edsz` of `edsz?proxyID=a`. */
export function pathOf(pathAndQuery: string): string {
  return parts(pathAndQuery).path;
}

function parts(pathAndQuery: string): { readonly path: string; readonly query: URLSearchParams } {
  const mark = pathAndQuery.indexOf('?');
  const path = mark === -1 ? pathAndQuery : pathAndQuery.slice(0, mark);
  return { path, query: new URLSearchParams(mark === -1 ? '' : pathAndQuery.slice(mark + 1)) };
}
