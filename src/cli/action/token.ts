import { mintToken } from '../../auth/token.ts';
import { pkiFiles } from '../../ca/pki-file.ts';
import { openPki } from '../../ca/pki-folder.ts';
import type { TokenKey } from '../../ca/token-key.ts';
import { ExitCode, FakeIstiodError } from '../../errors.ts';
import { writeLine, type Terminal } from '../terminal.ts';
import { writeWarnings } from '../warning.ts';

export interface TokenOptions {
  readonly pki?: string;
  readonly audience?: readonly string[];
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly issuer?: string;
  /** Milliseconds. */
  readonly ttl: number;
  readonly notBefore?: (now: Date) => Date;
  readonly expired?: boolean;
  readonly unsigned?: boolean;
}

const hourMs = 3_600_000;

/** `token`. */
export async function token(terminal: Terminal, options: TokenOptions): Promise<ExitCode> {
  const { audience, namespace, serviceAccount, issuer, expired } = options;
  const now = terminal.clock.date();
  const notBefore = expired ? new Date(now.getTime() - 2 * hourMs) : options.notBefore?.(now);
  const key = options.unsigned ? undefined : await signingKey(options.pki, terminal);
  const wish = {
    namespace,
    serviceAccount,
    ttlMs: expired ? hourMs : options.ttl,
    ...(audience === undefined ? {} : { audiences: audience }),
    ...(issuer === undefined ? {} : { issuer }),
    ...(notBefore === undefined ? {} : { notBefore }),
  };
  writeLine(terminal.stdout, await mintToken(key, wish, { ...terminal.clock, date: () => now }));
  return ExitCode.ok;
}

async function signingKey(dir: string | undefined, { stderr, clock }: Terminal): Promise<TokenKey> {
  if (dir === undefined) {
    throw new FakeIstiodError('usage.invalid', 'there is no key to sign the token with', {
      remedy: 'Name a folder by --pki DIR, or say --unsigned',
    });
  }
  const { tokenKey, warnings } = await openPki(dir, { clock });
  writeWarnings(stderr, warnings);
  if (tokenKey) return tokenKey;
  throw new FakeIstiodError('input.unreadable', `${dir} holds no ${pkiFiles.tokenKey}`, {
    remedy: `\`fake-istiod ca init --pki ${dir}\` makes one, unless ${pkiFiles.jwks} says that tokens come from elsewhere`,
  });
}
