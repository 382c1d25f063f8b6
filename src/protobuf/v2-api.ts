import { descriptorIndex } from './descriptors.ts';

/** Whether a type belongs to Envoy's v2 API, which Envoy 1.18 dropped (2021). */
export function isV2Name(fullName: string): boolean {
  return fullName.startsWith('envoy.') && /\.v[12](alpha\d*)?\./.test(fullName);
}

/** The old v2 messages of the same name: `envoy.api.v2.Cluster` for `envoy.config.cluster.v3.Cluster`. */
export function v2Namesakes(fullName: string): readonly string[] {
  const own = fullName
    .split('.')
    .filter((part) => /^[A-Z]/.test(part))
    .join('.');
  return descriptorIndex()
    .messageNames()
    .filter((name) => isV2Name(name) && name.endsWith(`.${own}`));
}

const remedies: Readonly<Record<string, string>> = {
  hosts: 'Use load_assignment',
  tls_context: 'Use transport_socket with a typed_config',
  config: 'Use typed_config with its "@type"',
  use_original_dst: 'Use the listener filter envoy.filters.listener.original_dst',
};

/** What took the place of the v2 fields that people still copy; `key` in either style. */
export function v2Remedy(key: string): string | undefined {
  return remedies[key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

/** The v3 message that took the place of a v2 one, by its name. */
export function v3Counterpart(v2Name: string): string | undefined {
  const simple = v2Name.slice(v2Name.lastIndexOf('.'));
  return descriptorIndex()
    .messageNames()
    .find((name) => name.startsWith('envoy.') && name.endsWith(`.v3${simple}`));
}
