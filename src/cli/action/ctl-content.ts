import type { ControlClient, WrittenBody } from '../../control/control-client.ts';
import type { Bootstrap } from '../../envoy/index.ts';
import type { Terminal } from '../terminal.ts';
import { textTable } from '../text-table.ts';
import type { Answer } from './ctl.ts';

interface ForNode {
  readonly node?: string;
}

/** `ctl snapshot get`: all names, the content of a type, or one resource. */
export async function getSnapshot(
  client: ControlClient,
  type: string | undefined,
  name: string | undefined,
  query: ForNode,
): Promise<Answer> {
  if (type === undefined) return listSnapshot(client, query);
  if (name === undefined) {
    const json = await client.call('GET /snapshot/{type}', { params: { type }, query });
    return { json, text: json.resources.map(({ resource }) => JSON.stringify(resource, undefined, 2)).join('\n') || `no ${json.type}` };
  }
  const json = await client.call('GET /snapshot/{type}/{name}', { params: { type, name }, query });
  return { json, text: JSON.stringify(json.resource, undefined, 2) };
}

async function listSnapshot(client: ControlClient, query: ForNode): Promise<Answer> {
  const json = await client.call('GET /snapshot', { query });
  const rows = json.types.flatMap(({ type, resources }) =>
    resources.length === 0
      ? [[type, '(none)', '']]
      : resources.map(({ name, bytes, version }) => [
          type,
          name || '(no name)',
          `${bytes} bytes${version === undefined ? '' : `, version ${version}`}`,
        ]),
  );
  return { json, text: [`version ${json.version}`, ...(rows.length > 0 ? [textTable(rows)] : ['nothing is served'])].join('\n') };
}

interface ToldPush {
  readonly version: string;
  readonly types: readonly string[];
}

function pushText({ version, types }: ToldPush): string {
  return `published ${version}: ${types.length > 0 ? `${types.join(', ')} changed` : 'nothing changed'}`;
}

/** What a publish changed, and with `acked`, that clients took it. */
export interface PublishOptions extends ForNode {
  /** Wait so long for the acknowledgement of what was published. */
  readonly acked?: string;
}

async function pushed(client: ControlClient, push: ToldPush, { node, acked }: PublishOptions): Promise<Answer> {
  if (acked === undefined) return { json: push, text: pushText(push) };
  const json = await client.call('GET /wait/acked', { query: { version: push.version, node, timeout: acked } });
  return { json: { ...push, acked: json.acked }, text: `${pushText(push)}\nacknowledged` };
}

/** `ctl snapshot put`: replaces the types given. */
export async function putSnapshot(client: ControlClient, written: WrittenBody, options: PublishOptions): Promise<Answer> {
  return pushed(client, await client.call('PUT /snapshot', { query: forNode(options), written }), options);
}

/** `ctl snapshot patch`: sets what the file holds; all else stays. */
export async function patchSnapshot(client: ControlClient, written: WrittenBody, options: PublishOptions): Promise<Answer> {
  return pushed(client, await client.call('PATCH /snapshot', { query: forNode(options), written }), options);
}

/** `ctl snapshot remove`. */
export async function removeResources(
  client: ControlClient,
  type: string,
  names: readonly string[],
  options: PublishOptions,
): Promise<Answer> {
  let last: ToldPush | undefined;
  for (const name of names) last = await client.call('DELETE /snapshot/{type}/{name}', { params: { type, name }, query: forNode(options) });
  return pushed(client, last as ToldPush, options);
}

function forNode({ node }: ForNode): { readonly node: string | undefined } {
  return { node };
}

/** `ctl dump`. */
export async function dump(client: ControlClient, query: ForNode): Promise<Answer> {
  const json = await client.call('GET /config_dump', { query });
  return { json, text: JSON.stringify(json, undefined, 2) };
}

/** `ctl scenario list`. */
export async function listScenarios(client: ControlClient): Promise<Answer> {
  const json = await client.call('GET /scenarios', {});
  return { json, text: textTable(json.scenarios.map(({ name, title }) => [name, title])) };
}

interface ToldScenario {
  readonly name: string;
  readonly title: string;
  readonly steps: readonly {
    readonly state: string;
    readonly name: string;
    readonly sentence: string;
    readonly waitsFor?: string | undefined;
  }[];
}

function scenarioText({ name, title, steps }: ToldScenario): string {
  const rows = steps.map((step) => [
    step.state,
    step.name,
    step.waitsFor === undefined ? step.sentence : `${step.sentence} (${step.waitsFor})`,
  ]);
  return [name ? `${name}: ${title}` : title, ...(rows.length > 0 ? [textTable(rows, '  ')] : [])].join('\n');
}

/** `ctl scenario show`. */
export async function showScenario(client: ControlClient): Promise<Answer> {
  const json = await client.call('GET /scenario', {});
  return { json, text: scenarioText(json) };
}

/** `ctl scenario load`: by its name, or as a file that is sent. */
export async function loadScenario(client: ControlClient, wanted: string | WrittenBody): Promise<Answer> {
  const json = await client.call('PUT /scenario', typeof wanted === 'string' ? { body: { name: wanted } } : { written: wanted });
  return { json, text: scenarioText(json) };
}

/** `ctl scenario stop`. */
export async function stopScenario(client: ControlClient): Promise<Answer> {
  const json = await client.call('DELETE /scenario', {});
  return { json, text: scenarioText(json) };
}

/** `ctl scenario explain`. */
export async function explainScenario(client: ControlClient, wanted: string | WrittenBody): Promise<Answer> {
  const text =
    typeof wanted === 'string'
      ? await client.call('GET /scenarios/{name}', { params: { name: wanted } })
      : await client.call('POST /explain', { written: wanted });
  return { json: { text }, text: text.trimEnd() };
}

export interface BootstrapQuery {
  readonly host?: string;
  readonly port?: number;
  readonly variant?: 'sotw' | 'delta';
  readonly shape?: 'lab' | 'lesson';
  readonly node?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly envoy?: string;
  readonly fetch_timeout?: string;
  readonly admin_host?: string;
  readonly admin_port?: number;
}

/** `ctl bootstrap`. Error `output.unwritable`. */
export async function bootstrap(client: ControlClient, query: BootstrapQuery, output: string, terminal: Terminal): Promise<Answer> {
  const json = await client.call('GET /bootstrap', { query });
  if (output === '-') return { json, text: JSON.stringify(json, undefined, 2) };
  const { writeBootstrapFile } = await import('../bootstrap-file.ts');
  await writeBootstrapFile(json as Bootstrap, output, undefined, terminal);
  return { json, text: `${output} written; start Envoy with: envoy -c ${output}` };
}

/** `ctl root-certificate`. */
export async function rootCertificate(client: ControlClient, query: { readonly former?: boolean }): Promise<Answer> {
  const pem = await client.call('GET /root-certificate', { query });
  return { json: { pem }, text: pem.trimEnd() };
}

export interface TokenWords {
  readonly namespace?: string;
  readonly serviceAccount?: string;
  readonly audience?: readonly string[];
  readonly issuer?: string;
  readonly ttl?: string;
  readonly expired?: boolean;
}

/** `ctl token`. */
export async function token(client: ControlClient, { serviceAccount, audience, ...rest }: TokenWords): Promise<Answer> {
  const body = { ...rest, service_account: serviceAccount, audience: audience === undefined ? undefined : [...audience] };
  const json = await client.call('POST /tokens', { written: { text: JSON.stringify(body), mediaType: 'application/json' } });
  return { json, text: json.token };
}

export interface CertificateWords {
  readonly namespace?: string;
  readonly serviceAccount?: string;
  readonly trustDomain?: string;
  readonly ttl?: string;
}

/** `ctl certificate`: the chain, then the key. */
export async function certificate(client: ControlClient, { serviceAccount, trustDomain, ...rest }: CertificateWords): Promise<Answer> {
  const body = { ...rest, service_account: serviceAccount, trust_domain: trustDomain };
  const json = await client.call('POST /certificates', { written: { text: JSON.stringify(body), mediaType: 'application/json' } });
  return { json, text: `${json.certificatePem}${json.privateKeyPem}`.trimEnd() };
}

/** `ctl version`. */
export async function version(client: ControlClient): Promise<Answer> {
  const json = await client.call('GET /version', {});
  return { json, text: `${json.name} ${json.version} on Node.js ${json.node} at ${client.url}` };
}
