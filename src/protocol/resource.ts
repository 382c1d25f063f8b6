/** One named object of a type, encoded once when it is published. To the core its payload is bytes. */
export interface Resource {
  readonly typeUrl: string;
  readonly name: string;
  /** The serialized message, i.e. the `value` of the Any that carries it. */
  readonly value: Uint8Array;
  /** Its own version, sent in delta where the quirk `resource-version` is `content`. */
  readonly version?: string;
}

/** True if both would be the same bytes on the wire. */
export function sameResource(a: Resource, b: Resource): boolean {
  if (a === b) return true;
  if (a.name !== b.name || a.version !== b.version || a.typeUrl !== b.typeUrl || a.value.length !== b.value.length) return false;
  return Buffer.compare(a.value, b.value) === 0;
}
