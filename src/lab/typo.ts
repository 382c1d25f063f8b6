import { mergeJson, isJsonObject, type Json, type JsonObject } from '../envoy/json.ts';
import type { Bootstrap } from '../envoy/bootstrap.ts';
import { adsClusterPlace } from './grade-bootstrap.ts';

/** The name that the lab's mistake has. */
export const typoCluster = 'istiod-xds';

/** A bootstrap with one mistake: `ads_config` names a cluster that is not there. */
export function withTypo(bootstrap: Bootstrap): Bootstrap {
  const place = adsClusterPlace({ value: bootstrap, path: [] });
  return place ? asObject(replaced(bootstrap, place.path)) : bootstrap;
}

function replaced(value: Json | undefined, [step, ...rest]: readonly (string | number)[]): Json {
  if (step === undefined) return typoCluster;
  if (isList(value)) return value.map((one, i) => (i === step ? replaced(one, rest) : one));
  const fields = asObject(value ?? {});
  return { ...fields, [step]: replaced(fields[step], rest) };
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function asObject(value: Json): JsonObject {
  return isJsonObject(value) ? value : mergeJson({}, {});
}
