import * as v from 'valibot';
import { resourceTypes } from '../protocol/resource-type.ts';
import { described, flag, form, listOf, namesForm, text } from './schema-parts.ts';

const servedTypes = resourceTypes.filter(({ answered }) => answered);

/** The keys under which resources stand, in push order. */
export const serveKeys: readonly string[] = servedTypes.map(({ key }) => key);

const listEntries = Object.fromEntries(
  servedTypes.map(({ key, short }) => [
    key,
    v.optional(described(listOf(v.unknown(), `${short} resources`), `${short} resources in Envoy's YAML form; [] serves none`)),
  ]),
);

const sourceEntries = {
  ...listEntries,
  files: v.optional(
    described(
      listOf(text, 'file names'),
      'Resource files in any form of Envoy (static_resources, DiscoveryResponse, config_dump, lists), relative to this file',
    ),
  ),
  resources: v.optional(described(listOf(v.unknown(), 'resources'), 'Resources with their @type, or raw ones: { typeUrl, base64 }')),
  allow_duplicates: v.optional(described(flag, 'Two resources of one type and name are an error unless this is true')),
};

/** What is served. */
export const serveForm = form('what is served', sourceEntries);
export type ServeForm = v.InferOutput<typeof serveForm>;

const layerEntry = { layer: v.optional(described(text, 'Name of an entry of nodes: the change is for those nodes only')) };

/** A change of what is served: the types given are replaced whole (`publish`) or only the resources given (`set`). */
export const changeForm = form('what is published', { ...sourceEntries, ...layerEntry });
export type ChangeForm = v.InferOutput<typeof changeForm>;

/** Names taken away, by type. */
export const removeForm = form('what is removed', {
  ...Object.fromEntries(serveKeys.map((key) => [key, v.optional(namesForm)])),
  ...layerEntry,
});
export type RemoveForm = v.InferOutput<typeof removeForm>;
