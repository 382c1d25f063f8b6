import type { AdminClient } from '../envoy/index.ts';
import { FakeIstiodError } from '../errors.ts';
import type { Timeline } from '../index.ts';

/** What a matcher knows of the thing that it was given. */
export interface Subject {
  /** Envoy's admin API, if the thing is an Envoy. */
  readonly admin?: AdminClient;
  /** `node.id`, if the thing is an Envoy that tells it. */
  readonly nodeId?: string;
  /** What happened in the fake istiod that the thing is, or belongs to. */
  readonly timeline?: Timeline;
}

/** A fake istiod, in this process or in a container: what matters is that it has a timeline. */
export interface HasTimeline {
  readonly timeline: Timeline;
}

const masters = new WeakMap<object, HasTimeline>();

/**
 * Tells the matchers which fake istiod an Envoy is connected to, so that what is said of the Envoy can be asked of, and explained by, the
 * timeline. The fixtures do this for the Envoys that they start.
 */
export function belongsTo(envoy: object, istiod: HasTimeline): void {
  masters.set(envoy, istiod);
  const { admin } = facesOf(envoy);
  if (admin) masters.set(admin, istiod);
}

interface Faces extends Subject {
  readonly istiod?: unknown;
  readonly envoy?: unknown;
}

/**
 * What a value is to a matcher: an Envoy (`startEnvoy`, a container), an admin client, a fake istiod, a test bed. `istiod` is the fake
 * istiod that an Envoy belongs to, where the fixtures did not say so.
 */
export function subjectOf(received: unknown, istiod?: HasTimeline): Subject {
  const faces = facesOf(received);
  // A test bed is its Envoy, whose istiod is known.
  const envoy = faces.envoy === undefined ? faces : facesOf(faces.envoy);
  const master = istiod ?? masterOf(faces.envoy ?? received) ?? masterOf(envoy.admin) ?? faces.istiod;
  const timeline = faces.timeline ?? facesOf(master).timeline;
  return {
    ...(envoy.admin ? { admin: envoy.admin } : {}),
    ...(envoy.nodeId === undefined ? {} : { nodeId: envoy.nodeId }),
    ...(timeline ? { timeline } : {}),
  };
}

/** The Envoy that a matcher was given. Error `options.invalid` if it is none. */
export function envoyOf(matcher: string, received: unknown, istiod?: HasTimeline): Subject & { readonly admin: AdminClient } {
  const { admin, ...subject } = subjectOf(received, istiod);
  if (admin) return { admin, ...subject };
  throw wrongSubject(matcher, received, 'an Envoy', 'Give it what startEnvoy gave, or an admin client');
}

/** The thing with a timeline that a matcher was given. Error `options.invalid` if there is none. */
export function witnessOf(matcher: string, received: unknown, istiod?: HasTimeline): Subject & { readonly timeline: Timeline } {
  const { timeline, ...subject } = subjectOf(received, istiod);
  if (timeline) return { timeline, ...subject };
  const remedy = 'Give it the fake istiod, or say whose Envoy it is: { istiod }, or belongsTo(envoy, istiod) once';
  throw wrongSubject(matcher, received, 'a fake istiod, or an Envoy that belongs to one', remedy);
}

function wrongSubject(matcher: string, received: unknown, wanted: string, remedy: string): FakeIstiodError {
  return new FakeIstiodError('options.invalid', `${matcher} is about ${wanted}, and was given ${typeText(received)}`, { remedy });
}

function typeText(value: unknown): string {
  if (value instanceof Promise) return 'a promise: await it first';
  if (typeof value !== 'object' || value === null) return value === undefined || value === null ? String(value) : `a ${typeof value}`;
  const keys = Object.keys(value).slice(0, 4);
  return keys.length === 0 ? 'an object without properties' : `an object with ${keys.join(', ')}`;
}

function masterOf(value: unknown): HasTimeline | undefined {
  return typeof value === 'object' && value !== null ? masters.get(value) : undefined;
}

/** The faces that a value shows. Anything may come in here: a test hands it over. */
function facesOf(value: unknown): Faces {
  if (typeof value !== 'object' || value === null) return {};
  const one = value as { readonly [K in keyof Faces]: unknown };
  const admin = isAdminClient(value) ? value : isAdminClient(one.admin) ? one.admin : undefined;
  return {
    ...(admin ? { admin } : {}),
    ...(typeof one.nodeId === 'string' ? { nodeId: one.nodeId } : {}),
    ...(isTimeline(one.timeline) ? { timeline: one.timeline } : {}),
    ...(one.istiod === undefined ? {} : { istiod: one.istiod }),
    ...(one.envoy === undefined ? {} : { envoy: one.envoy }),
  };
}

function isAdminClient(value: unknown): value is AdminClient {
  return typeof value === 'object' && value !== null && 'awaitState' in value && 'initDump' in value;
}

function isTimeline(value: unknown): value is Timeline {
  return typeof value === 'object' && value !== null && 'events' in value && 'subscribe' in value;
}
