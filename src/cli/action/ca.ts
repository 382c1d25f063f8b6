import { createAuthority } from '../../ca/authority.ts';
import { pkiFiles } from '../../ca/pki-file.ts';
import { openPki } from '../../ca/pki-folder.ts';
import { formatSpiffeId } from '../../ca/spiffe-id.ts';
import { ExitCode } from '../../errors.ts';
import { writeIdentityFiles } from '../identity-files.ts';
import { pkiFacts, pkiText } from '../pki-text.ts';
import { writeLine, type Terminal } from '../terminal.ts';
import { writeWarnings } from '../warning.ts';

export interface InitOptions {
  readonly pki: string;
  readonly intermediate?: boolean;
  readonly trustDomain?: string;
}

export interface ShowOptions {
  readonly pki: string;
  readonly json?: boolean;
}

export interface SignOptions {
  readonly pki: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly out: string;
  /** Milliseconds. */
  readonly ttl: number;
  readonly trustDomain?: string;
}

/** `ca init`. */
export async function init({ stderr, clock }: Terminal, { pki: dir, ...options }: InitOptions): Promise<ExitCode> {
  const { created, trustDomain, warnings } = await openPki(dir, { ...options, create: true, clock });
  writeWarnings(stderr, warnings);
  if (created.length === 0) writeLine(stderr, `${dir} has all it needs; nothing was changed`);
  else {
    const authority = created.includes(pkiFiles.certificate) ? ` (authority of ${trustDomain ?? 'no trust domain'})` : '';
    writeLine(stderr, `${dir}: made ${created.join(', ')}${authority}`);
  }
  return ExitCode.ok;
}

/** `ca show`. */
export async function show({ stdout, stderr, clock }: Terminal, { pki: dir, json }: ShowOptions): Promise<ExitCode> {
  const pki = await openPki(dir, { clock });
  writeWarnings(stderr, pki.warnings);
  writeLine(stdout, json ? JSON.stringify(pkiFacts(pki), undefined, 2) : pkiText(pkiFacts(pki)));
  return ExitCode.ok;
}

/** `ca sign`. */
export async function sign({ stderr, clock }: Terminal, options: SignOptions): Promise<ExitCode> {
  const { pki: dir, namespace, serviceAccount, out, ttl, trustDomain } = options;
  const pki = await openPki(dir, { clock });
  writeWarnings(stderr, pki.warnings);
  const authority = createAuthority({ clock, pki, ...(trustDomain === undefined ? {} : { trustDomain }) });
  const identity = { trustDomain: authority.trustDomain, namespace, serviceAccount };
  const issued = await authority.issue(identity, { validityMs: ttl });
  const names = writeIdentityFiles(out, issued, pki.rootPem);
  writeLine(stderr, `${out}: ${names.join(', ')} written; ${formatSpiffeId(identity)} until ${issued.notAfter.toISOString()}`);
  return ExitCode.ok;
}
