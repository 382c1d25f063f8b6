import type { Json } from '../envoy/json.ts';
import type { Problem } from '../errors.ts';
import type { DocumentPath, PositionOf } from '../protobuf/document.ts';
import { nearestName } from '../protobuf/nearest-name.ts';
import type { EnvEntry, EnvSource } from './env-entry.ts';
import { optional } from './pod-template.ts';
import { objectAt, textAt, valueAt } from './written-value.ts';

/** What `fieldRef` may name in an environment variable. @see Kubernetes, "Available fields" of the downward API */
const fieldPaths: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
const labelPath = /^metadata\.(labels|annotations)\['[^']+'\]$/;
const resourceName = /^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-[\w.]+)$/;
const references: readonly string[] = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef'];

/** The `env` of a container, in its order. What Kubernetes would refuse goes to `problems` and is kept as `unknown`. */
export function readEnv(list: readonly Json[], path: DocumentPath, positionOf: PositionOf, problems: Problem[]): readonly EnvEntry[] {
  return list.flatMap((item, i): readonly EnvEntry[] => {
    const here = [...path, i];
    const name = textAt(item, 'name');
    if (name === undefined) {
      problems.push({ at: positionOf(here), what: 'an environment variable without a name', remedy: 'Give it a `name`' });
      return [];
    }
    const source = sourceOf(name, item);
    if ('trouble' in source) {
      problems.push({ at: positionOf([...here, ...source.below]), what: `${name}: ${source.trouble}`, remedy: source.remedy });
      return [{ name, path: here, source: 'unknown', reference: source.reference }];
    }
    return [{ name, path: here, ...source }];
  });
}

interface Trouble {
  readonly trouble: string;
  readonly remedy: string;
  readonly reference: string;
  readonly below: DocumentPath;
}

function sourceOf(name: string, item: Json): EnvSource | Trouble {
  const from = objectAt(item, 'valueFrom');
  const [reference, second] = Object.keys(from).filter((key) => from[key] !== null);
  if (reference === undefined) return { source: 'value', value: textAt(item, 'value') ?? '' };
  const below = ['valueFrom', reference];
  if (second !== undefined || valueAt(item, 'value') !== undefined) {
    const both = second === undefined ? 'a value and a reference' : `two references (${reference}, ${second})`;
    return { trouble: `has ${both}, Kubernetes takes one`, remedy: 'Keep one of the two', reference, below };
  }
  const read = readers[reference]?.(from[reference]);
  if (read === undefined) return { ...unknownReference(reference), reference, below };
  return 'trouble' in read ? { ...read, reference, below } : read;
}

type Reader = (value: unknown) => EnvSource | { readonly trouble: string; readonly remedy: string };

const keyReader =
  (source: 'configMapKeyRef' | 'secretKeyRef'): Reader =>
  (value) => {
    const [object, key] = [textAt(value, 'name'), textAt(value, 'key')];
    if (key === undefined) return { trouble: `${source} has no key`, remedy: 'Name the entry by `key`' };
    return { source, object: object ?? '', key, optional: valueAt(value, 'optional') === true };
  };

const readers: Readonly<Record<string, Reader>> = {
  fieldRef: (value) => {
    const fieldPath = textAt(value, 'fieldPath') ?? '';
    if (fieldPaths.includes(fieldPath) || labelPath.test(fieldPath)) return { source: 'fieldRef', fieldPath };
    return { trouble: `a pod has no field "${fieldPath}" for an environment variable`, remedy: meant(fieldPath, fieldPaths) };
  },
  resourceFieldRef: (value) => {
    const resource = textAt(value, 'resource') ?? '';
    if (!resourceName.test(resource)) {
      return { trouble: `"${resource}" is no resource`, remedy: 'Expected limits.cpu, limits.memory, requests.cpu or the like' };
    }
    const divisor = textAt(value, 'divisor');
    return {
      source: 'resourceFieldRef',
      resource,
      ...optional('divisor', divisor),
      ...optional('containerName', textAt(value, 'containerName')),
    };
  },
  configMapKeyRef: keyReader('configMapKeyRef'),
  secretKeyRef: keyReader('secretKeyRef'),
};

function unknownReference(reference: string): { readonly trouble: string; readonly remedy: string } {
  return { trouble: `unknown reference "${reference}" in valueFrom`, remedy: meant(reference, references) };
}

function meant(word: string, words: readonly string[]): string {
  const near = nearestName(word, words);
  return near === undefined ? `Expected one of ${words.join(', ')}` : `Did you mean "${near}"?`;
}

/** The value of an entry, or where the pod gets it from: `fieldRef:metadata.name`, `resourceFieldRef:limits.cpu`, `secretKeyRef:NAME/KEY`. */
export function envText(entry: EnvEntry): string {
  switch (entry.source) {
    case 'value':
      return entry.value;
    case 'fieldRef':
      return `fieldRef:${entry.fieldPath}`;
    case 'resourceFieldRef':
      return `resourceFieldRef:${entry.resource}`;
    case 'configMapKeyRef':
    case 'secretKeyRef':
      return `${entry.source}:${entry.object}/${entry.key}`;
    case 'unknown':
      return `unknown:${entry.reference}`;
  }
}

/** The value of a variable that is known at injection; of two of one name the later counts, as with the kubelet. */
export function envValue(env: readonly EnvEntry[], name: string): string | undefined {
  const entry = env.findLast((candidate) => candidate.name === name);
  return entry?.source === 'value' ? entry.value : undefined;
}
