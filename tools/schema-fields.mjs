// Flattens a JSON Schema into the rows of a table: the path of each key, what it takes, what it means.

function typeOf(schema) {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(', ');
  const parts = schema.anyOf ?? schema.oneOf;
  if (parts) return [...new Set(parts.map(typeOf))].join(' or ');
  if (schema.type === 'array') return 'a list';
  if (schema.type === 'object') return 'a map';
  return Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'anything');
}

const meaning = (schema) => (schema.description ?? '').replace(/\s+/g, ' ');

/** A key that is the name of an event takes the event's fields, which have a page of their own. */
const isEvent = (key) => key.includes('.');

/** Maps with fewer keys are shown again where they come again. */
const fewKeys = 3;

/** Each key of a map with what it takes and means: what a reader would see of it. */
const keysOf = ({ properties = {} }) =>
  new Set(Object.entries(properties).map(([key, value]) => `${key} ${typeOf(value)} ${meaning(value)}`));

/**
 * `{ path, takes, what }` of each key below `schema`, depth first. The keys of a map that was shown before are not shown again: `takes`
 * then says where they stand.
 */
export function schemaFields(schema) {
  const shown = [];
  const unfolded = new Set();
  const resolve = (part) => (part.$ref ? { ...schema.$defs?.[part.$ref.replace('#/$defs/', '')], ...part, $ref: undefined } : part);
  const shownBefore = (keys) => (keys.size > fewKeys ? shown.find((one) => [...one.keys].every((key) => keys.has(key))) : undefined);

  const rowsOfKeys = (part, path) => {
    const keys = keysOf(part);
    const before = shownBefore(keys);
    if (keys.size > fewKeys && !before) shown.push({ keys, path });
    const fresh = Object.entries(part.properties ?? {}).filter(
      ([key, value]) => !before?.keys.has(`${key} ${typeOf(value)} ${meaning(value)}`),
    );
    const own = fresh.flatMap(([key, value]) => field(value, path ? `${path}.${key}` : key, isEvent(key)));
    return before ? [{ path: `${path}.…`, takes: `as in \`${before.path}\``, what: '' }, ...own] : own;
  };
  const below = (raw, path) => {
    if (raw.$ref && unfolded.has(raw.$ref)) return [];
    if (raw.$ref) unfolded.add(raw.$ref);
    const part = resolve(raw);
    const inside = [...(part.anyOf ?? []), ...(part.oneOf ?? []), ...(part.allOf ?? [])].flatMap((one) => below(one, path));
    const items = part.items && typeof part.items === 'object' ? below(part.items, `${path}[]`) : [];
    const any =
      part.additionalProperties && typeof part.additionalProperties === 'object' ? below(part.additionalProperties, `${path}.*`) : [];
    return [...rowsOfKeys(part, path), ...items, ...any, ...inside];
  };
  const field = (raw, path, ofEvent) => {
    const part = resolve(raw);
    if (ofEvent) return [{ path, takes: `${typeOf(part)}: [fields of the event](events.md)`, what: meaning(part) }];
    return [{ path, takes: typeOf(part), what: meaning(part) }, ...below(raw, path)];
  };
  const seen = new Set();
  return below(schema, '').filter(({ path }) => !seen.has(path) && seen.add(path));
}
