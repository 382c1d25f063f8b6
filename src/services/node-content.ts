import type { PositionOf } from '../protobuf/document.ts';
import { resourcesOf } from '../protobuf/resource-file.ts';
import { TypeUrl } from '../protocol/resource-type.ts';
import type { Resource } from '../protocol/resource.ts';
import { expand, type Expansion } from './expand.ts';
import { filled, referencedValues, type TemplateNode } from './node-template.ts';
import type { Mesh } from './mesh.ts';
import { expandProxyless, isProxyless } from './proxyless.ts';
import { proxyView, viewKey } from './proxy-view.ts';

/** What is served to a node and depends on the node: services as its place in the mesh has them, or resources with its own words in them. */
export type NodeContent =
  | { readonly kind: 'services'; readonly mesh: Mesh }
  /** Resources in any form of a resource file, with `${node.…}` in them, and the types they are of. */
  | { readonly kind: 'template'; readonly types: readonly string[]; readonly documents: readonly TemplateDocument[] };

/** A list of resources that stood under a key, or a whole resource file. */
export interface TemplateDocument {
  readonly value: unknown;
  readonly key?: string;
}

/** The type URLs that `content` may serve. */
export function typesOfContent(content: NodeContent): readonly string[] {
  return content.kind === 'template' ? content.types : [TypeUrl.cluster, TypeUrl.endpoint, TypeUrl.listener, TypeUrl.route];
}

/** Nodes of the same key are served the same. */
export function contentKey(content: NodeContent, node: TemplateNode): string {
  if (content.kind === 'services') return `${isProxyless(node) ? 'grpc ' : ''}${viewKey(content.mesh, proxyView(node))}`;
  return referencedValues(content.documents, node).join('\u0000');
}

/** All that istiod makes of the services of `mesh` for `node`. */
export function expansionFor(mesh: Mesh, node: TemplateNode): Expansion {
  return isProxyless(node) ? expandProxyless(mesh, proxyView(node)) : expand(mesh, proxyView(node));
}

const at: PositionOf = () => ({ file: 'what is served by node' });

/** What `node` is served. Throws `resource.invalid` if a node's own words make a resource that is none. */
export function contentFor(content: NodeContent, node: TemplateNode): readonly Resource[] {
  const documents: readonly TemplateDocument[] =
    content.kind === 'services' ? [{ value: expansionFor(content.mesh, node) }] : filled(content.documents, node);
  return documents.flatMap(({ value, key }) =>
    resourcesOf(value, at, { allowDuplicates: true, ...(key === undefined ? {} : { contextKey: key }) }).resources.map(
      ({ at: _, ...resource }) => resource,
    ),
  );
}
