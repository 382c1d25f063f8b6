import { resourceJson } from '../control/resource-json.ts';
import { TypeUrl } from '../protocol/resource-type.ts';
import type { ServedType } from '../session/node-state.ts';
import type { DebuggedIstiod } from './face.ts';

type Json = Readonly<Record<string, unknown>>;

function served({ snapshot }: DebuggedIstiod): readonly ServedType[] {
  return snapshot().types.filter(({ resources }) => resources.length > 0);
}

/** `/debug/cachez`: names of what is encoded, by type. It is encoded when it is published, and never again. */
export function cachedNames(istiod: DebuggedIstiod): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(served(istiod).map(({ typeUrl, resources }) => [typeUrl, resources.map(({ name }) => name)]));
}

/** `/debug/cachez?sizes=true` */
export function cachedSizes(istiod: DebuggedIstiod): Readonly<Record<string, string>> {
  const sizes = served(istiod).map(
    ({ typeUrl, resources }) => [typeUrl, resources.reduce((sum, { value }) => sum + value.length, 0)] as const,
  );
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  return Object.fromEntries([...sizes, ['total', total] as const].map(([key, size]) => [key, byteCount(size)]));
}

/** `512B`, `8.9kB`: by thousands. */
function byteCount(bytes: number): string {
  if (bytes < 1000) return `${bytes}B`;
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), 6);
  return `${(bytes / 1000 ** power).toFixed(1)}${'kMGTPE'[power - 1]}B`;
}

/** `/debug/ambientz`: workloads, services and policies that are served to ambient's clients. */
export function ambient(istiod: DebuggedIstiod): Json {
  const types = served(istiod);
  const messages = (typeUrl: string): readonly Json[] =>
    (types.find((type) => type.typeUrl === typeUrl)?.resources ?? []).map(({ name, value }) => {
      const { '@type': _, ...message } = resourceJson(typeUrl, name, value);
      return message;
    });
  const inAddresses = (key: string): readonly unknown[] => messages(TypeUrl.address).flatMap((address) => address[key] ?? []);
  return {
    workloads: [...messages(TypeUrl.workload), ...inAddresses('workload')],
    services: inAddresses('service'),
    policies: messages(TypeUrl.authorization),
  };
}
