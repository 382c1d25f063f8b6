/** What a template can know of a node. */
export interface TemplateNode {
  readonly id: string;
  readonly cluster: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly locality?: { readonly region?: string; readonly zone?: string; readonly subZone?: string };
}

/** `${node.id}`, `${node.metadata.LABELS.app}`, `${node.metadata.NAMESPACE:-default}` */
const reference = /\$\{node\.([^}:]+)(?::-([^}]*))?\}/g;
const roots = ['id', 'cluster', 'metadata', 'locality'] as const;

/** True if `value`, at any depth, holds a reference to the node. */
export function isTemplate(value: unknown): boolean {
  return referencesIn(value).length > 0;
}

/** The references in `value`, each once, in the order they stand there. */
export function referencesIn(value: unknown): readonly string[] {
  const found = new Set<string>();
  visit(value, (text) => {
    for (const [whole] of text.matchAll(reference)) found.add(whole);
  });
  return [...found];
}

/** Why a reference can mean nothing, or undefined. */
export function referenceProblem(written: string): string | undefined {
  const path = [...written.matchAll(reference)][0]?.[1]?.split('.') ?? [];
  const [root = ''] = path;
  if (!roots.some((known) => known === root)) return `${written}: a node has ${roots.join(', ')}`;
  if (root === 'metadata' && path.length < 2) return `${written}: name the key, as in \${node.metadata.NAMESPACE}`;
  if (root === 'locality' && !['region', 'zone', 'subZone'].includes(path[1] ?? ''))
    return `${written}: a locality has region, zone, subZone`;
  if ((root === 'id' || root === 'cluster') && path.length > 1) return `${written}: node.${root} is a text`;
  return undefined;
}

/** The values of all references in `value`, in order: what makes one node's content differ from another's. */
export function referencedValues(value: unknown, node: TemplateNode): readonly string[] {
  return referencesIn(value).map((each) => fill(each, node));
}

/** `value` with the node's words in place of the references. What the node does not have is its default, or empty. */
export function filled<T>(value: T, node: TemplateNode): T {
  return mapped(value, (text) => fill(text, node)) as T;
}

/** `value` with a word in place of each reference that is a name as well as a number, to see if the rest is right. */
export function sampled<T>(value: T): T {
  return mapped(value, (text) => text.replaceAll(reference, '1')) as T;
}

function fill(text: string, node: TemplateNode): string {
  return text.replaceAll(reference, (_, path: string, otherwise: string | undefined) => textAt(node, path) ?? otherwise ?? '');
}

/** @note The longest key first: Kubernetes' label keys have dots in them. */
function textAt(from: unknown, path: string): string | undefined {
  if (typeof from !== 'object' || from === null) return undefined;
  const parts = path.split('.');
  for (let length = parts.length; length > 0; length--) {
    const key = parts.slice(0, length).join('.');
    if (!Object.hasOwn(from, key)) continue;
    const value = (from as Record<string, unknown>)[key];
    const rest = parts.slice(length).join('.');
    if (rest !== '') return textAt(value, rest);
    if (value === undefined || value === null || value === '') return undefined;
    return typeof value === 'string' ? value : JSON.stringify(value);
  }
  return undefined;
}

function visit(value: unknown, see: (text: string) => void): void {
  if (typeof value === 'string') see(value);
  else if (Array.isArray(value)) for (const item of value) visit(item, see);
  else if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array))
    for (const [key, item] of Object.entries(value)) {
      see(key);
      visit(item, see);
    }
}

function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapped(item, change));
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [change(key), mapped(item, change)]));
}
