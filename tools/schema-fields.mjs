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

/** `{ path, takes, what }` of each key below `schema`, depth first; a definition that is used twice is unfolded where it is first met. */
export function schemaFields(schema) {
  const unfolded = new Set();
  const resolve = (part) => (part.$ref ? { ...schema.$defs?.[part.$ref.replace('#/$defs/', '')], ...part, $ref: undefined } : part);
  const below = (raw, path) => {
    if (raw.$ref && unfolded.has(raw.$ref)) return [];
    if (raw.$ref) unfolded.add(raw.$ref);
    const part = resolve(raw);
    const inside = [...(part.anyOf ?? []), ...(part.oneOf ?? []), ...(part.allOf ?? [])].flatMap((one) => below(one, path));
    const keys = Object.entries(part.properties ?? {}).flatMap(([key, value]) => field(value, path ? `${path}.${key}` : key));
    const items = part.items && typeof part.items === 'object' ? below(part.items, `${path}[]`) : [];
    const any =
      part.additionalProperties && typeof part.additionalProperties === 'object' ? below(part.additionalProperties, `${path}.*`) : [];
    return [...keys, ...items, ...any, ...inside];
  };
  const field = (raw, path) => {
    const part = resolve(raw);
    return [{ path, takes: typeOf(part), what: (part.description ?? '').replace(/\s+/g, ' ') }, ...below(raw, path)];
  };
  const seen = new Set();
  return below(schema, '').filter(({ path }) => !seen.has(path) && seen.add(path));
}
