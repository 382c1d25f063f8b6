import type { JsonObject } from '../envoy/index.ts';
import { isJsonObject } from '../envoy/index.ts';
import { readDocument } from '../protobuf/document.ts';
import type { PositionOf } from '../protobuf/document.ts';
import { bootstrapFacts } from './bootstrap-facts.ts';
import { quoted } from './evidence.ts';
import type { Fact } from './fact.ts';
import { asJson, field, objectsOf, textOf } from './json-access.ts';
import type { InputKind } from './input.ts';
import { readPlainConfig } from './read-plain-config.ts';
import type { Reading, ReadValue } from './reading.ts';
import { containerFacts, workloadFacts } from './workload-facts.ts';

type Path = readonly (string | number)[];

/** Kubernetes objects: workloads with their pods, events, the ConfigMap `istio`; and lists of them. Undefined for anything else. */
export function readKubernetes(source: string, { value, positionOf }: ReadValue): Reading | undefined {
  const json = asJson(value);
  if (!isJsonObject(json) || textOf(json['kind']) === undefined) return undefined;
  if (textOf(json['apiVersion']) === undefined && !/List$/.test(textOf(json['kind']) ?? '')) return undefined;
  return readObject(source, json, positionOf, []);
}

function readObject(source: string, object: JsonObject, positionOf: PositionOf, path: Path): Reading {
  const kind = textOf(object['kind']) ?? '';
  if (Array.isArray(object['items'])) {
    const inner = objectsOf(object['items']).map((item, i) => readObject(source, item, positionOf, [...path, 'items', i]));
    const best = inner.find(({ facts }) => facts.length > 0) ?? inner[0];
    return {
      source,
      kind: best?.kind ?? 'injected manifest',
      facts: inner.flatMap(({ facts }) => facts),
      notes: inner.flatMap(({ notes }) => notes),
    };
  }
  if (kind === 'ConfigMap') return readConfigMap(source, object, positionOf, path);
  if (kind === 'Event') return { source, kind: 'event list', facts: [eventFact(object, positionOf, path)], notes: [] };
  const workload = workloadFacts(object, positionOf, path);
  if (!workload) return { source, kind: 'injected manifest', facts: [], notes: [] };
  return {
    source,
    kind: 'injected manifest',
    facts: [{ fact: 'workload', ...quoted(workload.at, workload.name), workload }, ...containerFacts(object, positionOf, path)],
    notes: workload.hasProxy ? [] : [`${workload.name} in ${source} has no container istio-proxy`],
  };
}

function eventFact(object: JsonObject, positionOf: PositionOf, path: Path): Fact {
  const [reason, text] = [textOf(object['reason']) ?? '', textOf(object['message']) ?? textOf(object['note']) ?? ''];
  return { fact: 'kube-event', ...quoted(positionOf(path), `${reason}: ${text}`), reason, text };
}

/** The ConfigMap `istio` holds the mesh config as text; one of a bootstrap override holds a part of a bootstrap. */
function readConfigMap(source: string, object: JsonObject, positionOf: PositionOf, path: Path): Reading {
  const data = field(object, 'data');
  const facts: Fact[] = [];
  let kind: InputKind = 'mesh config';
  for (const [key, text] of Object.entries(isJsonObject(data) ? data : {})) {
    if (typeof text !== 'string' || text.trim() === '') continue;
    const at = positionOf([...path, 'data', key]);
    const inner = parsed(`${source} (data.${key})`, text);
    if (/bootstrap/.test(key)) {
      kind = 'bootstrap';
      facts.push(overrideFact(text, inner?.value, at));
    } else if (inner) {
      facts.push(
        ...(readPlainConfig(source, { value: inner.value, positionOf: (inside) => ({ ...at, path: `data.${key}.${inside.join('.')}` }) })
          ?.facts ?? []),
      );
    }
  }
  return { source, kind, facts, notes: [] };
}

/** A part of a bootstrap that the annotation `sidecar.istio.io/bootstrapOverride` lays over pilot-agent's own. */
function overrideFact(text: string, value: unknown, at: ReturnType<PositionOf>): Fact {
  if (!isJsonObject(asJson(value)))
    return {
      fact: 'log',
      ...quoted(at, `bootstrap override is no mapping: ${text}`),
      by: 'unknown',
      level: 'unknown',
      text: 'bootstrap override is no mapping',
    };
  const bootstrap = { ...bootstrapFacts(asJson(value) as JsonObject, () => at), isOverride: true };
  return { fact: 'bootstrap', ...quoted(at, text), bootstrap };
}

function parsed(name: string, text: string): ReadValue | undefined {
  try {
    return readDocument({ name, bytes: new TextEncoder().encode(text) });
  } catch {
    return undefined;
  }
}
