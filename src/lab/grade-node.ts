import type { SourceDocument } from '../protobuf/document.ts';
import { inside, type Place } from '../sidecar/bootstrap-place.ts';
import { missing, right, unjudged, wrong, type LineGrade } from './grade.ts';
import { firstDifference } from './same-value.ts';

const parts = ['id', 'cluster', 'metadata'] as const;

/** Judges `06-node.json`: what the running Envoy says of itself is what the bootstrap said. */
export function gradeNode(document: SourceDocument, bootstrap: SourceDocument | undefined): readonly LineGrade[] {
  const { value } = document;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [wrong('node', 'It is one object with id, cluster and metadata.', { found: value })];
  }
  const fields = value as Readonly<Record<string, unknown>>;
  const root: Place | undefined = bootstrap && { value: bootstrap.value, path: [] };
  return [...parts.map((part) => partLine(part, fields, document, root)), ...extraLine(fields)];
}

function partLine(
  part: (typeof parts)[number],
  fields: Readonly<Record<string, unknown>>,
  document: SourceDocument,
  bootstrap: Place | undefined,
): LineGrade {
  if (!(part in fields)) {
    const hint =
      'configs' in fields
        ? 'This is the whole dump: take node out of it, from its BootstrapConfigDump.'
        : `Look at node.${part} in /config_dump.`;
    return missing(part, hint);
  }
  const { line } = document.positionOf([part]);
  if (!bootstrap) return unjudged(part, 'bootstrap.yaml has to be there first, to be compared with.', line);
  const said = inside(bootstrap, 'node', part)?.value;
  const difference = firstDifference(said, fields[part]);
  if (difference === undefined) return right(part, line);
  const where = difference === '' ? '' : ` They differ in ${difference}.`;
  const hint = `node.${part} of bootstrap.yaml is something else.${where} Was this Envoy started with that file, and is it your Envoy that answers on the admin port?`;
  return wrong(part, hint, { line, found: fields[part] });
}

/** Envoy adds its version and all its extensions to the node. */
function extraLine(fields: Readonly<Record<string, unknown>>): readonly LineGrade[] {
  const extra = Object.keys(fields).filter((key) => !(parts as readonly string[]).includes(key));
  if (extra.length === 0 || 'configs' in fields) return [];
  return [wrong('only these', 'Envoy adds to its node what it is and can; keep id, cluster and metadata.', { found: extra.join(', ') })];
}
