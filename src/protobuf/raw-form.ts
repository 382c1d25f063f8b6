/** Whether a value is a mapping: an object, but no list. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** A resource or `Any` given as bytes: `{ typeUrl, base64 }`. Undefined when the value has another form. */
export function rawForm(value: unknown): { readonly typeUrl: unknown; readonly base64: unknown } | undefined {
  if (!isMapping(value) || !('base64' in value)) return undefined;
  const typeUrl = value['typeUrl'] ?? value['type_url'];
  const known = Object.keys(value).every((key) => ['typeUrl', 'type_url', 'base64'].includes(key));
  return typeUrl !== undefined && known ? { typeUrl, base64: value['base64'] } : undefined;
}
