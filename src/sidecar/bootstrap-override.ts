import type { Bootstrap } from '../envoy/bootstrap.ts';
import { isJsonObject, type Json } from '../envoy/json.ts';
import { FakeIstiodError, type Problem, type SourcePosition } from '../errors.ts';
import { checkMessage } from '../protobuf/check.ts';
import type { SourceDocument } from '../protobuf/document.ts';
import { pathText } from '../protobuf/document-path.ts';
import { mergeMessages } from './message-merge.ts';
import type { Origins, OriginPath } from './origin.ts';

/** What pilot-agent gives Envoy as `--config-yaml`. */
export interface BootstrapOverride {
  readonly value: Json;
  readonly text: string;
  readonly at: SourcePosition;
}

/** Annotation that names the ConfigMap, and the key that the injector mounts. */
export const overrideAnnotation = 'sidecar.istio.io/bootstrapOverride';
export const overrideKey = 'custom_bootstrap.json';

const message = 'envoy.config.bootstrap.v3.Bootstrap';

/** pilot-agent puts the node's address into the text before Envoy sees it. @see istio pkg/envoy/proxy.go:readBootstrapToJSON */
export function withHostIp(text: string, hostIp: string): string {
  if (!hostIp.includes(':')) return text.replaceAll('$(HOST_IP)', hostIp);
  return text.replaceAll('[$(HOST_IP)]', `[${hostIp}]`).replaceAll('$(HOST_IP)', `[${hostIp}]`);
}

/** The override in a document of the user: bare, or the text in a ConfigMap under the injector's key. */
export function overrideText(document: SourceDocument): { readonly text: string | undefined; readonly at: SourcePosition } {
  const { value } = document;
  refuseOtherObject(document);
  const data = isJsonObject(value) ? value['data'] : undefined;
  if (!isJsonObject(value) || value['kind'] !== 'ConfigMap' || !isJsonObject(data)) return { text: undefined, at: document.positionOf([]) };
  const key = [overrideKey, ...Object.keys(data)].find((name) => typeof data[name] === 'string');
  if (key === undefined) {
    throw FakeIstiodError.of('bootstrap.invalid', [
      { at: document.positionOf(['data']), what: `the ConfigMap holds no text`, remedy: `The injector mounts its key ${overrideKey}` },
    ]);
  }
  return { text: String(data[key]), at: document.positionOf(['data', key]) };
}

function refuseOtherObject({ value, positionOf }: SourceDocument): void {
  const [kind, version] = isJsonObject(value) ? [value['kind'], value['apiVersion']] : [];
  if (typeof kind !== 'string' || typeof version !== 'string' || kind === 'ConfigMap') return;
  throw FakeIstiodError.of('bootstrap.invalid', [
    {
      at: positionOf(['kind']),
      what: `is a Kubernetes ${kind}, not a bootstrap override`,
      remedy: `Give the ConfigMap that the annotation ${overrideAnnotation} names, or what stands under its key ${overrideKey}`,
    },
  ]);
}

/** What of an override is no field of a bootstrap, or has a wrong value: as pilot-agent starts it, Envoy leaves such a field out or exits. */
export function overrideNotes({ value, at }: BootstrapOverride): readonly Problem[] {
  if (!isJsonObject(value)) return [];
  return checkMessage(message, value, (path) => ({ file: '', path: pathText(path) })).map((problem) => ({
    ...problem,
    at,
    what: `the bootstrap override, ${problem.at?.path ?? ''}: ${problem.what}. Envoy leaves that out with a warning, or exits`,
  }));
}

/** A bootstrap with the override laid over it as Envoy does. Error `bootstrap.invalid` for what Envoy would not take as a mapping. */
export function applyOverride(bootstrap: Bootstrap, override: BootstrapOverride, origins: Origins): Bootstrap {
  if (override.value === null) return bootstrap;
  if (!isJsonObject(override.value)) {
    throw FakeIstiodError.of('bootstrap.invalid', [
      {
        at: override.at,
        what: `the bootstrap override is ${typeof override.value === 'string' ? 'one text' : 'no mapping'}: Envoy exits with \`Unable to convert YAML as JSON\``,
        remedy: 'Give a mapping with fields of the bootstrap; quotes around the whole make it a text',
      },
    ]);
  }
  noteOverride(override.value, [], override, origins);
  return mergeMessages(message, bootstrap, override.value);
}

function noteOverride(value: Json, path: OriginPath, override: BootstrapOverride, origins: Origins): void {
  if (isJsonObject(value)) {
    for (const [key, child] of Object.entries(value)) noteOverride(child, [...path, key], override, origins);
  } else if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) {
      const name = isJsonObject(item) ? item['name'] : undefined;
      if (typeof name === 'string') noteOverride(item, [...path, name], override, origins);
    }
  } else {
    origins.note(path, { text: 'bootstrap override', at: override.at });
  }
}
