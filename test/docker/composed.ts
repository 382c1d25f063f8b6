import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { docker } from '../../src/envoy/docker-cli.ts';
import { pause } from '../../src/envoy/pause.ts';
import type { CommandResult } from '../../src/envoy/run-command.ts';

/** The image under test: `npm run image` makes it. */
export const image = process.env['FAKE_ISTIOD_IMAGE'] ?? 'fake-istiod:local';
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const projectPrefix = 'fake-istiod-test';
let projects = 0;

/** Why these tests cannot run here; undefined if they can. `compose`: they need the plugin, too. */
export async function dockerMissing(compose: boolean): Promise<string | undefined> {
  const daemon = await docker(['version', '--format', '{{.Server.Version}}'], { timeoutMs: 10_000 });
  if (daemon.code !== 0) return `no Docker daemon answers: ${daemon.stderr.trim()}`;
  if ((await docker(['image', 'inspect', image])).code !== 0) return `there is no image ${image}: npm run image makes it`;
  if (compose && (await docker(['compose', 'version'])).code !== 0) return 'docker has no compose plugin';
  return undefined;
}

/** A Compose project of a test's own, on free ports, gone after the test. */
export interface Composed {
  /** `docker compose …` in the project; never rejects. */
  run(args: readonly string[]): Promise<CommandResult>;
  /** `http://127.0.0.1:PORT` at which a service's port is published. */
  url(service: string, port: number): Promise<string>;
  /** How a container of the project is called. */
  containerOf(service: string): Promise<string>;
  readonly name: string;
}

export function composed(profile: string | undefined, env: Readonly<Record<string, string>> = {}): Composed {
  projects += 1;
  const name = `${projectPrefix}-${process.pid}-${projects}`;
  const options = {
    timeoutMs: 150_000,
    env: {
      ...process.env,
      COMPOSE_PROJECT_NAME: name,
      COMPOSE_PROFILES: profile ?? '',
      FAKE_ISTIOD_IMAGE: image,
      // 0: any that is free.
      CONTROL_PORT: '0',
      ENVOY_ADMIN_PORT: '0',
      WEB_PORT: '0',
      ...env,
    },
  };
  const run = (args: readonly string[]): Promise<CommandResult> =>
    docker(['compose', '--ansi', 'never', '--file', join(root, 'docker-compose.yml'), ...args], options);
  onTestFinished(async () => void (await run(['--profile', '*', 'down', '--volumes', '--timeout', '1'])));
  return {
    name,
    run,
    async url(service, port) {
      const { stdout, stderr } = await run(['port', service, String(port)]);
      const [, published] = /:(\d+)\s*$/.exec(stdout) ?? [];
      if (published === undefined) throw new Error(`${service}:${port} is not published: ${stderr}`);
      return `http://127.0.0.1:${published}`;
    },
    containerOf: async (service) => (await run(['ps', '--all', '--quiet', service])).stdout.trim(),
  };
}

/** What both streams of a command said. */
export function said({ stdout, stderr }: CommandResult): string {
  return `${stdout}\n${stderr}`;
}

/** The body of a GET once `wanted` accepts it; each try waits for the answer of the one before, so nothing is asked in a storm. */
export async function until(url: string, wanted: (body: string, status: number) => boolean, timeoutMs = 30_000): Promise<string> {
  const ends = performance.now() + timeoutMs;
  for (;;) {
    const [status, body] = await answerOf(url);
    if (wanted(body, status)) return body;
    if (performance.now() > ends) throw new Error(`${url} went on answering ${status} ${body}`);
    await pause(systemClock, 50);
  }
}

/** Status and body, or 0 and what went wrong. */
async function answerOf(url: string): Promise<readonly [status: number, body: string]> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(3_000) });
    return [answer.status, await answer.text()];
  } catch (error) {
    return [0, String(error)];
  }
}
