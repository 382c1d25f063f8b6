import { request } from 'node:http';
import { ExitCode, FakeIstiodError } from '../../errors.ts';
import { writeLine, type Terminal } from '../terminal.ts';

export interface HealthcheckOptions {
  /** Milliseconds. */
  readonly timeout: number;
}

/** `healthcheck`: one line and 0 where a fake-istiod answers, else error `control.unreachable`. */
export async function healthcheck({ stdout, env }: Terminal, url: string | undefined, { timeout }: HealthcheckOptions): Promise<ExitCode> {
  const base = url ?? (env['FAKE_ISTIOD_CONTROL'] || `http://127.0.0.1:${env['FAKE_ISTIOD_CONTROL_PORT'] || 15_080}`);
  const target = healthUrl(base);
  const trouble = await asked(target, timeout);
  if (trouble === undefined) {
    writeLine(stdout, 'alive');
    return ExitCode.ok;
  }
  throw new FakeIstiodError('control.unreachable', `${base} is not alive: ${trouble}`, {
    remedy: 'Does fake-istiod run there, with --control-port?',
  });
}

function healthUrl(base: string): URL {
  try {
    const url = new URL(base);
    if (url.protocol === 'http:') return new URL('/health', url);
  } catch {
    // Told below.
  }
  throw new FakeIstiodError('usage.invalid', `"${base}" is not the URL of a control API, e.g. http://127.0.0.1:15080`);
}

/** Why it is not alive; undefined if it is. */
function asked(url: URL, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const sent = request(url, { agent: false }, (response) => {
      response.resume();
      clearTimeout(timer);
      resolve(response.statusCode === 200 ? undefined : `it answered ${response.statusCode}`);
    });
    const timer = setTimeout(() => sent.destroy(new Error(`no answer within ${timeoutMs / 1_000} s`)), timeoutMs);
    sent.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      resolve(error.code === 'ECONNREFUSED' ? 'nobody listens there' : error.message);
    });
    sent.end();
  });
}
