import { isJsonObject, type Json, type JsonObject } from '../envoy/json.ts';
import type { SourcePosition } from '../errors.ts';
import type { Origin, OriginPath, Origins } from './origin.ts';

/** One part of a bootstrap, its value, and where that comes from. */
export interface ExplainedPart {
  /** As people write it: `static_resources.clusters[agent].type`. */
  readonly path: string;
  readonly value: Json;
  readonly from: readonly Origin[];
}

/** The parts of a bootstrap, each as large as one origin reaches: what comes from one place stands in one line. */
export function explainBootstrap(bootstrap: JsonObject, origins: Origins): readonly ExplainedPart[] {
  return [...parts(bootstrap, [], '', origins)];
}

function* parts(value: Json, path: OriginPath, text: string, origins: Origins): Generator<ExplainedPart> {
  const children = origins.hasInside(path) ? childrenOf(value) : [];
  if (children.length === 0) {
    yield { path: text, value, from: origins.of(path) };
    return;
  }
  for (const { step, shown, value: inner } of children) yield* parts(inner, [...path, step], joined(text, shown), origins);
}

interface Child {
  readonly step: string;
  readonly shown: string;
  readonly value: Json;
}

function childrenOf(value: Json): readonly Child[] {
  if (isJsonObject(value)) return Object.entries(value).map(([step, child]) => ({ step, shown: keyText(step), value: child }));
  if (!Array.isArray(value)) return [];
  return (value as readonly Json[]).map((item, i) => {
    const name = isJsonObject(item) && typeof item['name'] === 'string' ? item['name'] : String(i);
    return { step: name, shown: `[${name}]`, value: item };
  });
}

function keyText(key: string): string {
  return /^\w+$/.test(key) ? `.${key}` : `["${key}"]`;
}

function joined(text: string, shown: string): string {
  return text === '' ? shown.replace(/^\./, '') : `${text}${shown}`;
}

/** `env ISTIO_META_CLUSTER_ID (web.yaml:71)`; several with arrows, the nearest first. */
export function originText(from: readonly Origin[]): string {
  const texts = from.map(({ text, at }) => (at?.line === undefined ? text : `${text} (${placeText(at)})`));
  return [...new Set(texts)].join(' <- ');
}

function placeText({ file, line }: SourcePosition): string {
  return `${file.slice(file.lastIndexOf('/') + 1)}:${line ?? ''}`;
}
