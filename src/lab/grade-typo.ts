import type { SourceDocument } from '../protobuf/document.ts';
import { child, textOf, type Place } from '../sidecar/bootstrap-place.ts';
import { staticClusterPlaces } from '../sidecar/xds-cluster-findings.ts';
import { adsClusterPlace } from './grade-bootstrap.ts';
import { missing, right, unjudged, wrong, type LineGrade } from './grade.ts';
import { firstDifference } from './same-value.ts';

/** Judges `boot-typo.yaml`: one name is changed, and the bootstrap is as it was in all else. */
export function gradeTypo(document: SourceDocument, bootstrap: SourceDocument | undefined): readonly LineGrade[] {
  const root: Place = { value: document.value, path: [] };
  return [nameLine(document, root), restLine(root, bootstrap)];
}

function nameLine(document: SourceDocument, root: Place): LineGrade {
  const name = 'ads_config cluster_name';
  const place = adsClusterPlace(root);
  if (!place) return missing(name, 'dynamic_resources.ads_config.grpc_services.envoy_grpc.cluster_name is not there at all.');
  const names = staticClusterPlaces(root).map((cluster) => textOf(child(cluster, 'name')));
  const { line } = document.positionOf(place.path);
  if (!names.includes(textOf(place))) return right(name, line);
  const hint = 'A static cluster has this very name, so Envoy finds what it looks for. Only ads_config is to be changed, not the cluster.';
  return wrong(name, hint, { line, found: place.value });
}

function restLine(root: Place, bootstrap: SourceDocument | undefined): LineGrade {
  const name = 'all else';
  if (!bootstrap) return unjudged(name, 'bootstrap.yaml has to be there first, to be compared with.');
  const before: Place = { value: bootstrap.value, path: [] };
  const difference = firstDifference(named(before, textOf(adsClusterPlace(root))), root.value);
  if (difference === undefined) return right(name);
  return wrong(
    name,
    `bootstrap.yaml says something else there. Of two changes nobody knows which one Envoy means: change the one name only.`,
    {
      found: difference === '' ? 'the whole document' : difference,
    },
  );
}

/** The bootstrap as it is with that name in `ads_config`. */
function named(root: Place, name: string | undefined): unknown {
  const place = adsClusterPlace(root);
  return place && name !== undefined ? replaced(root.value, place.path, name) : root.value;
}

function replaced(value: unknown, [step, ...rest]: readonly (string | number)[], by: string): unknown {
  if (step === undefined) return by;
  if (Array.isArray(value)) return value.map((one: unknown, i) => (i === step ? replaced(one, rest, by) : one));
  const fields = value as Readonly<Record<string, unknown>>;
  return { ...fields, [step]: replaced(fields[step], rest, by) };
}
