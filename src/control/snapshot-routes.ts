import * as v from 'valibot';
import { FakeIstiodError } from '../errors.ts';
import type { PublishOptions } from '../fake-istiod.ts';
import type { ResourceSet } from '../protobuf/resource-set.ts';
import { resourceType } from '../protocol/resource-type.ts';
import { nearestWord } from '../script/nearest.ts';
import { described, form, listOf, mapOf, namesForm, text } from '../script/schema-parts.ts';
import { serveKeys } from '../script/schema-serve.ts';
import type { Push } from '../session/push.ts';
import type { ServedResource, ServedType } from '../session/node-state.ts';
import { anyObject, pushAnswer, resourceAnswer, resourcesAnswer, snapshotAnswer } from './answer-forms.ts';
import { bodyResource, bodyResources, bodyResourcesOf } from './body-resources.ts';
import { configDump } from './config-dump.ts';
import { layerOf, nodeId, typeParam } from './query-forms.ts';
import { resourceJson } from './resource-json.ts';
import { route } from './route.ts';
import { typeUrlIn } from './type-word.ts';

const object = mapOf(v.unknown(), 'a resource, a map');
const resourceList = listOf(object, 'resources');
const ofOneType = v.optional(described(resourceList, "Resources in Envoy's JSON form; [] serves none"));
const someNames = v.optional(namesForm);
type ServeKey = Exclude<keyof ResourceSet, 'resources'>;

/** The same entry under the key of each type. */
function underEachKey<E>(entry: E): Record<ServeKey, E> {
  return Object.fromEntries(serveKeys.map((key) => [key, entry])) as Record<ServeKey, E>;
}

const setEntries = {
  ...underEachKey(ofOneType),
  resources: v.optional(described(resourceList, 'Resources with their @type, or raw ones: { typeUrl, name, base64 }')),
};
const setForm = form('what is served', setEntries);
const removeForm = form('what is removed', underEachKey(someNames));
const typeAndName = { type: typeParam, name: described(text, 'The name of a resource (with its slashes as %2F)') };

function toldPush({ version, sequence, typeUrls }: Push) {
  return { version, sequence, types: typeUrls.map((typeUrl) => resourceType(typeUrl).short) };
}

function forNode(node: string | undefined): PublishOptions {
  return node === undefined ? {} : { node };
}

function toldResource(typeUrl: string, { name, version, value }: ServedResource) {
  return { name, ...(version === undefined ? {} : { version }), bytes: value.length, resource: resourceJson(typeUrl, name, value) };
}

function resourceOf({ typeUrl, type, resources }: ServedType, name: string): ServedResource {
  const found = resources.find((resource) => resource.name === name);
  if (found) return found;
  const near = nearestWord(
    name,
    resources.map((resource) => resource.name),
  );
  throw new FakeIstiodError('request.not-found', `no ${type} resource ${JSON.stringify(name)} is served`, {
    remedy: near === undefined ? `GET /snapshot/${encodeURIComponent(typeUrl)} lists them` : `Did you mean ${JSON.stringify(near)}?`,
  });
}

function typeOf(types: readonly ServedType[], typeUrl: string): ServedType {
  return types.find((served) => served.typeUrl === typeUrl) ?? { typeUrl, type: resourceType(typeUrl).short, resources: [] };
}

export const snapshotRoutes = {
  snapshot: route({
    method: 'GET',
    path: '/snapshot',
    tag: 'What is served',
    summary: 'List what is served, by type and name',
    library: 'istiod.snapshot(node)',
    ctl: ['snapshot get'],
    params: {},
    query: { node: nodeId },
    answer: snapshotAnswer,
    handle({ query: { node } }, { istiod }) {
      const { types, ...facts } = istiod.snapshot(node);
      return {
        ...facts,
        types: types.map(({ typeUrl, type, resources }) => ({
          typeUrl,
          type,
          resources: resources.map(({ name, version, value }) => ({
            name,
            ...(version === undefined ? {} : { version }),
            bytes: value.length,
          })),
        })),
      };
    },
  }),
  publish: route({
    method: 'PUT',
    path: '/snapshot',
    tag: 'What is served',
    summary: 'Replace the types given, all of each',
    description: 'Types that are not given stay. `listeners: []` takes every listener away. What Envoy will not like is served as it is.',
    library: 'istiod.publish(resources, { node })',
    ctl: ['snapshot put'],
    params: {},
    query: { node: layerOf },
    body: setForm,
    answer: pushAnswer,
    handle: ({ query: { node }, body }, context) => toldPush(context.istiod.publish(bodyResources(body, [], context), forNode(node))),
  }),
  update: route({
    method: 'PATCH',
    path: '/snapshot',
    tag: 'What is served',
    summary: 'Set and remove single resources; all others stay',
    library: 'istiod.update({ set, remove }, { node })',
    ctl: ['snapshot patch'],
    params: {},
    query: { node: layerOf },
    body: form('a change', {
      set: v.optional(described(setForm, 'New, or in place of what has the same type and name')),
      remove: v.optional(described(removeForm, 'Names to take away, by type; one that is not there changes nothing')),
    }),
    answer: pushAnswer,
    handle({ query: { node }, body: { set, remove } }, context) {
      const resources = set === undefined ? {} : bodyResources(set, ['set'], context);
      return toldPush(
        context.istiod.update(
          { set: resources, ...(remove ? { remove: remove as Readonly<Record<string, readonly string[]>> } : {}) },
          forNode(node),
        ),
      );
    },
  }),
  resources: route({
    method: 'GET',
    path: '/snapshot/{type}',
    tag: 'What is served',
    summary: 'Tell the resources of a type with their content',
    library: 'istiod.snapshot(node).types',
    ctl: ['snapshot get'],
    params: { type: typeParam },
    query: { node: nodeId },
    answer: resourcesAnswer,
    handle({ params, query: { node } }, { istiod }) {
      const { types, version } = istiod.snapshot(node);
      const { typeUrl, type, resources } = typeOf(types, typeUrlIn('path', 'type', params.type));
      return {
        ...(node === undefined ? {} : { node }),
        version,
        typeUrl,
        type,
        resources: resources.map((resource) => toldResource(typeUrl, resource)),
      };
    },
  }),
  publishType: route({
    method: 'PUT',
    path: '/snapshot/{type}',
    tag: 'What is served',
    summary: 'Replace all resources of a type',
    library: 'istiod.publish({ clusters: [] })',
    ctl: ['snapshot put'],
    params: { type: typeParam },
    query: { node: layerOf },
    body: resourceList,
    answer: pushAnswer,
    handle({ params, query: { node }, body }, context) {
      const typeUrl = typeUrlIn('path', 'type', params.type);
      return toldPush(context.istiod.publish(bodyResourcesOf(typeUrl, body, context), forNode(node)));
    },
  }),
  resource: route({
    method: 'GET',
    path: '/snapshot/{type}/{name}',
    tag: 'What is served',
    summary: 'Tell one resource',
    library: 'istiod.snapshot(node).types',
    ctl: ['snapshot get'],
    params: typeAndName,
    query: { node: nodeId },
    answer: resourceAnswer,
    errors: [404],
    handle({ params, query: { node } }, { istiod }) {
      const served = typeOf(istiod.snapshot(node).types, typeUrlIn('path', 'type', params.type));
      return toldResource(served.typeUrl, resourceOf(served, params.name));
    },
  }),
  setResource: route({
    method: 'PUT',
    path: '/snapshot/{type}/{name}',
    tag: 'What is served',
    summary: 'Set one resource; all others stay',
    library: 'istiod.update({ set })',
    ctl: ['snapshot patch'],
    params: typeAndName,
    query: { node: layerOf },
    body: object,
    answer: pushAnswer,
    handle({ params, query: { node }, body }, context) {
      const typeUrl = typeUrlIn('path', 'type', params.type);
      return toldPush(context.istiod.update({ set: bodyResource(typeUrl, params.name, body, context) }, forNode(node)));
    },
  }),
  removeResource: route({
    method: 'DELETE',
    path: '/snapshot/{type}/{name}',
    tag: 'What is served',
    summary: 'Take one resource away',
    library: 'istiod.update({ remove })',
    ctl: ['snapshot remove'],
    params: typeAndName,
    query: { node: layerOf },
    answer: pushAnswer,
    errors: [404],
    handle({ params, query: { node } }, { istiod }) {
      const typeUrl = typeUrlIn('path', 'type', params.type);
      if (node === undefined) resourceOf(typeOf(istiod.snapshot().types, typeUrl), params.name);
      return toldPush(istiod.update({ remove: { [typeUrl]: [params.name] } }, forNode(node)));
    },
  }),
  configDump: route({
    method: 'GET',
    path: '/config_dump',
    tag: 'What is served',
    summary: "Tell what is served in the form of Envoy's config_dump",
    description: 'Private keys are redacted, as Envoy does it; `serve` and `istioctl proxy-config --file` read the result.',
    library: 'istiod.snapshot(node)',
    ctl: ['dump'],
    params: {},
    query: { node: nodeId },
    answer: v.strictObject({ configs: v.array(anyObject) }),
    handle: ({ query: { node } }, { istiod }) => ({ configs: configDump(istiod.snapshot(node)) }),
  }),
};
