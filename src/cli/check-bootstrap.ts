import { readFileSync } from 'node:fs';
import { findEnvoy, validateBootstrap, type EnvoyBinary, type Validation } from '../envoy/index.ts';
import type { Problem } from '../errors.ts';
import type { SourceDocument } from '../protobuf/document.ts';
import type { ExpectedAddress } from '../sidecar/xds-address-findings.ts';
import { asPlainJson } from './bootstrap-input.ts';
import { jsonCommentOf } from './json-comment.ts';

export interface CheckBootstrapOptions {
  /** As of `--envoy`; default: an Envoy that is there already, if any. */
  readonly envoy?: string;
  /** The address of istiod by `--mesh-config`. */
  readonly expected?: ExpectedAddress;
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: (text: string) => void;
}

export interface CheckedBootstrap {
  readonly findings: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly notes: readonly string[];
}

/** The flag with which pilot-agent starts Envoy: it takes a bootstrap with unknown fields, and leaves those out. */
export const lenientFlag = '--allow-unknown-static-fields';

/** Checks a bootstrap by its message type, by our own rules, and by an Envoy if there is one. */
export async function checkBootstrap(document: SourceDocument, options: CheckBootstrapOptions): Promise<CheckedBootstrap> {
  const [{ checkMessage }, { bootstrapFindings }] = await Promise.all([
    import('../protobuf/check.ts'),
    import('../sidecar/bootstrap-findings.ts'),
  ]);
  const ours = bootstrapFindings(document, options.expected ? { expected: options.expected } : {});
  const findings = [
    ...(document.documents.length === 1 ? strictJsonFindings(document.name) : []),
    ...checkMessage('envoy.config.bootstrap.v3.Bootstrap', document.value, document.positionOf),
    ...ours.findings,
  ];
  const notes = findings.some(({ what }) => /\bAPI v2\b/.test(what)) ? ['it is written for API v2, which Envoy 1.18 dropped (2021)'] : [];
  const envoy = await envoyFor(options);
  if (!envoy) {
    return { findings, warnings: ours.warnings, notes: [...notes, 'not shown to an Envoy: none is here; --envoy 1.40.0 fetches one'] };
  }
  const judged = await judgedBy(envoy, document, options.env);
  return { findings: [...findings, ...judged.findings], warnings: ours.warnings, notes: [...notes, ...judged.notes] };
}

/** @note Envoy reads what does not end in .yaml or .yml as JSON; it forgives much there, but no comment. */
export function strictJsonFindings(name: string, kinds?: string): Problem[] {
  if (!/\.json$/i.test(name)) return [];
  const place = jsonCommentOf(readText(name), kinds);
  if (!place) return [];
  return [
    {
      at: { file: name, ...place },
      what: 'there is a comment in a file that Envoy reads as JSON by its ending: Envoy exits with `invalid JSON`',
      remedy: 'Take the comment away, or name the file .yaml and write comments with #',
    },
  ];
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

async function judgedBy(
  envoy: EnvoyBinary,
  document: SourceDocument,
  env: NodeJS.ProcessEnv,
): Promise<Pick<CheckedBootstrap, 'findings' | 'notes'>> {
  // Envoy goes by the ending; YAML of its own reading is what it would start with.
  const asItStands = /\.(json|ya?ml)$/.test(document.name) && document.documents.length === 1;
  const bootstrap = asItStands ? document.name : asPlainJson(document);
  const strict = await validateBootstrap({ bootstrap, envoy, env });
  const at = { file: document.name };
  const lenient = await validateBootstrap({ bootstrap, envoy, env, args: [lenientFlag] });
  if (strict.ok && lenient.ok) return { findings: [], notes: [`Envoy ${envoy.version} takes it`] };
  const isJson = /\.json$/i.test(document.name);
  const said = (validation: Validation): string => (isJson ? refusalText(validation) : withoutOffset(refusalText(validation)));
  const refused = { at, what: `Envoy ${envoy.version} refuses it: ${said(strict)}` };
  if (!lenient.ok) {
    const differs = strict.ok || withoutOffset(refusalText(lenient)) !== withoutOffset(refusalText(strict));
    const more = { at, what: `with pilot-agent's ${lenientFlag} Envoy ${envoy.version} refuses it: ${said(lenient)}` };
    return { findings: [...(strict.ok ? [] : [refused]), ...(differs ? [more] : [])], notes: [] };
  }
  const remedy = `With pilot-agent's ${lenientFlag} Envoy takes it, and silently leaves out what it does not know`;
  return { findings: [{ ...refused, remedy }], notes: [] };
}

/** Envoy's reason without what it says around it, and without the whole file that it repeats after a parse error. */
function refusalText({ reasons }: Validation): string {
  const text = reasons.join(' ');
  const reason = /error initializing configuration '[^']*':[: ]*(.*)/s.exec(text)?.[1] ?? text;
  return reason.replace(/^(Unable to parse JSON as proto \(.*?\)): [{["a-zA-Z].*$/s, '$1').trim();
}

/** @note Where it is in the text that Envoy makes of YAML, in an order of its own at each start: of no use to anybody. */
function withoutOffset(text: string): string {
  return text.replaceAll(/,? near \d+:\d+ \(offset \d+\)/g, '');
}

/** The Envoy that was asked for, else one that needs no fetching, else none. */
async function envoyFor({ envoy: wanted, env, onProgress }: CheckBootstrapOptions): Promise<EnvoyBinary | undefined> {
  if (wanted !== undefined) return findEnvoy({ wanted, env, onProgress });
  return findEnvoy({ env, install: false }).catch(() => undefined);
}
