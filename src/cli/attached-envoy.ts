import { adminClient, xdsAddress, type Bootstrap, type Json, type XdsAddress } from '../envoy/index.ts';
import { isJsonObject } from '../envoy/json.ts';
import type { Variant } from '../index.ts';

/** What a running Envoy says of how it was started. */
export interface AttachedEnvoy {
  /** Undefined if it does not get its configuration over ADS. */
  readonly variant: Variant | undefined;
  /** Where it looks for its control plane, if that is told as one host and port. */
  readonly xds: XdsAddress | undefined;
}

/** Asks the Envoy behind an admin URL. Errors `envoy.unreachable`, `options.invalid` (no URL of an admin API). */
export async function attachedEnvoy(url: string): Promise<AttachedEnvoy> {
  const { configs } = await adminClient(url).configDump();
  const dumps: readonly Json[] = Array.isArray(configs) ? configs : [];
  const found = dumps.filter(isJsonObject).find((dump) => String(dump['@type']).endsWith('BootstrapConfigDump'))?.['bootstrap'];
  if (!isJsonObject(found)) return { variant: undefined, xds: undefined };
  const apiType = adsApiType(found);
  return { variant: apiType === undefined ? undefined : apiType === 'DELTA_GRPC' ? 'delta' : 'sotw', xds: addressOf(found) };
}

function adsApiType(bootstrap: Bootstrap): string | undefined {
  const dynamic = bootstrap['dynamic_resources'];
  const ads = isJsonObject(dynamic) ? dynamic['ads_config'] : undefined;
  return isJsonObject(ads) ? String(ads['api_type']) : undefined;
}

function addressOf(bootstrap: Bootstrap): XdsAddress | undefined {
  try {
    return xdsAddress(bootstrap);
  } catch {
    return undefined;
  }
}
