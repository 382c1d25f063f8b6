import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterwards } from './served.ts';

export interface SClientResult {
  readonly ok: boolean;
  /** All that it printed. */
  readonly text: string;
  /** The protocol agreed on by ALPN, if any. */
  readonly alpn: string | undefined;
  /** `verify error:num=18:self-signed certificate` and the like, without the number. */
  readonly verifyError: string | undefined;
  readonly alert: string | undefined;
}

/** Shakes hands by `openssl s_client` as pilot-agent would: ALPN h2, the root `rootPem`, the name of istiod. */
export async function sClient(port: number, rootPem: string, more: readonly string[] = []): Promise<SClientResult> {
  const folder = await mkdtemp(join(tmpdir(), 'fake-istiod-test-'));
  afterwards(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'root.pem'), rootPem);
  const name = 'istiod.istio-system.svc';
  const words = `s_client -connect 127.0.0.1:${port} -servername ${name} -verify_hostname ${name} -verify_return_error -CAfile root.pem`;
  return new Promise((resolve) => {
    const child = execFile('openssl', [...words.split(' '), '-alpn', 'h2', ...more], { cwd: folder }, (error, stdout, stderr) => {
      const text = stdout + stderr;
      const found = (pattern: RegExp): string | undefined => pattern.exec(text)?.[1];
      resolve({
        ok: !error,
        text,
        alpn: found(/ALPN protocol: (.*)/),
        verifyError: found(/verify error:num=\d+:(.*)/i),
        alert: found(/:(?:ssl|tls)v?\S* alert ([^:]*):/),
      });
    });
    child.stdin?.end();
  });
}
