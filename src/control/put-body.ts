import type { SourceDocument } from '../protobuf/document.ts';
import type { LoadedResource } from '../protobuf/resource-file.ts';
import { resourceType, resourceTypeNamed } from '../protocol/resource-type.ts';

/** What is to be put: the whole of the types given, or single resources. */
export type PutForm = 'put' | 'patch';

/** True for a file that `PUT /snapshot` (a map of types) or `PATCH /snapshot` (set and remove) takes as it stands. */
export function isPutBody({ value, documents }: SourceDocument, form: PutForm): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || documents.length > 1) return false;
  const keys = Object.keys(value);
  const fits = (key: string): boolean =>
    form === 'put' ? key === 'resources' || resourceTypeNamed(key)?.key === key : key === 'set' || key === 'remove';
  return keys.length > 0 && keys.every(fits);
}

/** The body that puts resources which were read already. */
export function putBody(resources: readonly LoadedResource[], form: PutForm): Readonly<Record<string, unknown>> {
  const bytes = resources.map(({ typeUrl, name, value, version }) => ({
    name,
    ...(version === undefined ? {} : { version }),
    resource: { typeUrl, base64: Buffer.from(value).toString('base64') },
  }));
  if (form === 'patch') return { set: { resources: bytes } };
  return { ...Object.fromEntries(resources.map(({ typeUrl }) => [resourceType(typeUrl).key, []])), resources: bytes };
}
