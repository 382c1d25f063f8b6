import type { DocumentPath } from '../protobuf/document.ts';
import type { NodeMatcher } from '../protocol/node.ts';
import type { Variant } from '../protocol/request.ts';
import { resourceTypeNamed } from '../protocol/resource-type.ts';
import type { Status } from '../protocol/response.ts';
import type { SnapshotChange } from '../protocol/snapshot.ts';
import type { WithholdRule } from '../protocol/withhold-rule.ts';
import type { Command } from './command.ts';
import { durationMs } from './duration.ts';
import type { Findings } from './findings.ts';
import { wordRemedy } from './nearest.ts';
import { identityKeys, readIdentity, readProxyCommand, type IdentityKey } from './read-identity.ts';
import { readType } from './read-pattern.ts';
import { readServe, type Reading } from './read-serve.ts';
import type { CloseForm, CommandForm, RefuseForm, RuleForm, RulesForm } from './schema-command.ts';
import { readMesh } from './read-services.ts';
import type { TokenForm } from './schema-proxy.ts';
import type { MeshForm, ServiceForm } from './schema-services.ts';
import type { ChangeForm, RemoveForm } from './schema-serve.ts';
import { statusNames } from './status-code.ts';

/** All that reading commands takes. */
export interface CommandReading extends Reading {
  /** The names of the entries of `nodes`, which are layers from 1. */
  readonly layers: readonly (string | undefined)[];
  /** Whether the bootstrap has a token file. */
  readonly tokenFile: boolean;
  /** What is said of the mesh beside its services. */
  readonly mesh?: MeshForm | undefined;
}

/** Rules of withholding or releasing. */
export function readRules(written: RulesForm, path: DocumentPath, findings: Findings): readonly WithholdRule[] {
  if (Array.isArray(written)) return written.map((rule: RuleForm, i) => readRule(rule, [...path, i], findings));
  return [readRule(written, path, findings)];
}

function readRule(written: RuleForm, path: DocumentPath, findings: Findings): WithholdRule {
  if (typeof written === 'string') return { typeUrl: readType(written, path, findings) };
  const { type, names, node } = written;
  return {
    typeUrl: readType(type, [...path, 'type'], findings),
    ...(names ? { names } : {}),
    ...(node ? { node: node as NodeMatcher } : {}),
  };
}

/** The commands of one map, in the order written. */
export function readCommands(written: CommandForm, path: DocumentPath, reading: CommandReading): readonly Command[] {
  const keys = Object.keys(written) as (keyof CommandForm)[];
  if (keys.length === 0) reading.findings.report(path, 'an empty command does nothing', 'Write one, e.g. release: CDS');
  return keys.flatMap((key): readonly Command[] =>
    isIdentity(key)
      ? readIdentity(key, written[key] as never, [...path, key], reading.findings)
      : [readCommand(key, written, [...path, key], reading)],
  );
}

function isIdentity(key: keyof CommandForm): key is IdentityKey {
  return (identityKeys as readonly string[]).includes(key);
}

function readCommand(
  key: Exclude<keyof CommandForm, IdentityKey>,
  written: CommandForm,
  path: DocumentPath,
  reading: CommandReading,
): Command {
  const { findings } = reading;
  const value = written[key];
  switch (key) {
    case 'publish':
    case 'set':
      return publish(key, value as ChangeForm, path, reading);
    case 'remove':
      return remove(value as RemoveForm, path, reading);
    case 'services':
      return { kind: 'services', mesh: readMesh(value as readonly ServiceForm[], reading.mesh, path, findings) };
    case 'heartbeats':
      return { kind: 'heartbeats', state: value as 'on' | 'off' };
    case 'withhold':
    case 'release':
      return { kind: key, rules: readRules(value as RulesForm, path, findings) };
    case 'delay':
    case 'drop':
      return readFault(key, value as FaultMap | string, path, findings);
    case 'close':
      return { kind: 'close', ...readEnd(value as CloseForm, path, findings) };
    case 'refuse': {
      const times = typeof value === 'object' ? (value as { times?: number }).times : undefined;
      return { kind: 'refuse', ...readEnd(value as RefuseForm, path, findings), ...(times === undefined ? {} : { count: times }) };
    }
    case 'ready':
      return { kind: 'set-ready', ready: value as boolean };
    case 'expire':
      return { kind: 'expire-certificate', afterMs: durationMs((value as NonNullable<CommandForm['expire']>).certificate) ?? 0 };
    case 'token_file':
      if (!reading.tokenFile)
        findings.report(path, 'Envoy watches no token file', 'Give it one from the start: bootstrap: { token_file: {} }', 'key');
      return readProxyCommand(key, value as TokenForm, path, findings);
    case 'request_certificate':
      return readProxyCommand(key, value as TokenForm, path, findings);
    case 'mark':
      return { kind: 'mark', moment: value as string };
    default:
      return {
        kind: ({ accept: 'accept', stop: 'stop-server', start: 'start-server', silence: 'silence-server', rotate: 'rotate-root' } as const)[
          key
        ],
      };
  }
}

interface FaultMap {
  readonly type: string;
  readonly by?: string;
  readonly times?: number;
  readonly node?: unknown;
  readonly variant?: Variant | undefined;
}

function readFault(kind: 'delay' | 'drop', value: FaultMap | string, path: DocumentPath, findings: Findings): Command {
  const map: FaultMap = typeof value === 'string' ? { type: value } : value;
  const typeUrl = readType(map.type, typeof value === 'string' ? path : [...path, 'type'], findings);
  const which = { typeUrl, ...streamsOf(map) };
  return kind === 'delay' ? { kind, ...which, delayMs: durationMs(map.by ?? '') ?? 0 } : { kind, ...which, count: map.times ?? 1 };
}

function streamsOf({
  node,
  variant,
}: {
  readonly node?: unknown;
  readonly variant?: Variant | undefined;
}): Pick<Extract<Command, { kind: 'close' }>, 'streams'> {
  if (!node && !variant) return {};
  return { streams: { ...(node ? { node } : {}), ...(variant ? { variant } : {}) } };
}

function readEnd(
  written: CloseForm | RefuseForm,
  path: DocumentPath,
  findings: Findings,
): Pick<Extract<Command, { kind: 'close' }>, 'status' | 'streams'> {
  if (typeof written !== 'object') return { status: { code: readCode(written, path, findings), message: '' } };
  const code = written.code === undefined ? 14 : readCode(written.code, [...path, 'code'], findings);
  const status: Status = { code, message: written.message ?? '' };
  return { status, ...streamsOf(written) };
}

function readCode(written: string | number, path: DocumentPath, findings: Findings): number {
  if (typeof written === 'number') return written;
  const code = (statusNames as readonly string[]).indexOf(written);
  if (code < 0) findings.report(path, `unknown gRPC status code ${JSON.stringify(written)}`, wordRemedy(written, statusNames));
  return Math.max(0, code);
}

function layerOf(name: string | undefined, path: DocumentPath, { findings, layers }: CommandReading): { readonly layer?: number } {
  if (name === undefined) return {};
  const index = layers.indexOf(name);
  if (index < 0) {
    const known = layers.filter((layer) => layer !== undefined);
    findings.report(
      [...path, 'layer'],
      `no entry of nodes has the name ${JSON.stringify(name)}`,
      known.length > 0 ? wordRemedy(name, known) : 'Give the entry a name',
    );
  }
  return { layer: index + 1 };
}

function publish(key: 'publish' | 'set', written: ChangeForm, path: DocumentPath, reading: CommandReading): Command {
  const served = readServe(written, path, reading);
  const change: SnapshotChange = key === 'publish' ? { replace: served } : { set: [...served.values()].flat() };
  return { kind: 'publish', change, ...layerOf(written.layer, path, reading) };
}

function remove({ layer, ...names }: RemoveForm, path: DocumentPath, reading: CommandReading): Command {
  const byType = Object.entries(names).map(
    ([key, list]) => [resourceTypeNamed(key)?.typeUrl ?? key, (list ?? []) as readonly string[]] as const,
  );
  return { kind: 'publish', change: { remove: new Map(byType) }, ...layerOf(layer, path, reading) };
}
