import { Option, type Command } from 'commander';
import type { BootstrapQuery, CertificateWords, TokenWords } from '../action/ctl-content.ts';
import { countOption, portOption, repeated } from '../option-value.ts';
import type { Invocation } from '../program.ts';
import { call, leaf } from './ctl-leaf.ts';

const actions = () => import('../action/ctl-content.ts');
const moves = () => import('../action/ctl-move.ts');

/** Who gets in, and what proxies prove themselves with. */
export function addIdentityCommands(ctl: Command, invocation: Invocation): void {
  addDoors(ctl, invocation);
  addProofs(ctl, invocation);
  leaf(ctl, 'bootstrap', 'an Envoy bootstrap that points at the server')
    .option('--host <host>', 'where Envoy finds the server')
    .option('--port <port>', 'default: the port of the server', portOption('--port'))
    .addOption(new Option('--variant <variant>', 'how xDS is spoken').choices(['sotw', 'delta']))
    .addOption(new Option('--shape <shape>', 'for the lab, or as written by hand').choices(['lab', 'lesson']))
    .option('--envoy <name>', 'of a scenario with several Envoys this one (default: the first)')
    .option('--node <id>', 'the whole node id')
    .option('--namespace <name>', 'namespace of the node')
    .option('--name <name>', 'pod name of the node')
    .option('--fetch-timeout <duration>', 'initial_fetch_timeout of CDS and LDS')
    .option('--admin-host <host>', 'where the admin API listens')
    .option('--admin-port <port>', 'its port', portOption('--admin-port'))
    .option('-o, --output <file>', 'where to, as JSON or YAML by its ending; `-` is stdout', '-')
    .action(({ output, ...flags }: BootstrapFlags, self: Command) =>
      call(invocation, self, async (client, terminal) => (await actions()).bootstrap(client, bootstrapQuery(flags), output, terminal)),
    );
}

interface BootstrapFlags extends Omit<BootstrapQuery, 'fetch_timeout' | 'admin_host' | 'admin_port'> {
  readonly output: string;
  readonly fetchTimeout?: string;
  readonly adminHost?: string;
  readonly adminPort?: number;
}

function bootstrapQuery({
  host,
  port,
  variant,
  shape,
  envoy,
  node,
  namespace,
  name,
  fetchTimeout,
  adminHost,
  adminPort,
}: Omit<BootstrapFlags, 'output'>): BootstrapQuery {
  const named = {
    host,
    port,
    variant,
    shape,
    envoy,
    node,
    namespace,
    name,
    fetch_timeout: fetchTimeout,
    admin_host: adminHost,
    admin_port: adminPort,
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

function addDoors(ctl: Command, invocation: Invocation): void {
  const perform = (self: Command, command: Readonly<Record<string, unknown>> | string) =>
    call(invocation, self, async (client) => (await moves()).perform(client, command));
  leaf(ctl, 'gate', 'open or close the door of a service')
    .argument('<service>', 'xds or ca')
    .argument('<state>', 'open or closed')
    .option('--tries <count>', 'closed for so many tries (default: until it is opened)', countOption('--tries'))
    .option('--caller <name>', 'closed for this caller alone: a node id (xds) or a SPIFFE id (ca)')
    .action((service: string, state: string, { tries, caller }: { readonly tries?: number; readonly caller?: string }, self: Command) => {
      const narrowed = { ...(tries === undefined ? {} : { closed_for: tries }), ...(caller === undefined ? {} : { caller }) };
      const isNarrowed = state === 'closed' && Object.keys(narrowed).length > 0;
      return perform(self, { gates: { [service]: isNarrowed ? narrowed : state } });
    });
  leaf(ctl, 'tls', 'how new TLS handshakes are spoiled')
    .argument('<preset>', 'unknown-ca, wrong-san, expired …, or ok')
    .action((tls: string, _: unknown, self: Command) => perform(self, { tls }));
  leaf(ctl, 'auth', 'whom the server believes')
    .argument('<rules>', "off, or a map in the words of a scenario, such as '{audiences: [istio-ca]}'; {} is as the real istiod")
    .action((auth: string, _: unknown, self: Command) => perform(self, `auth: ${auth}`));
  leaf(ctl, 'rate-limit', 'how many new streams are let in per second')
    .argument('<number>', 'so many, or off')
    .action((limit: string, _: unknown, self: Command) => perform(self, { rate_limit: /^[\d.]+$/.test(limit) ? Number(limit) : limit }));
  leaf(ctl, 'rotate-root', 'let a new root sign, and cut every connection').action((_, self: Command) => perform(self, { rotate: 'root' }));
  leaf(ctl, 'expire-certificate', 'let the server certificate of new handshakes end soon')
    .argument('<duration>', 'such as 2s')
    .action((certificate: string, _: unknown, self: Command) => perform(self, { expire: { certificate } }));
}

function addProofs(ctl: Command, invocation: Invocation): void {
  leaf(ctl, 'token', "a service account token, signed by the server's own key")
    .option('--namespace <name>', "the workload's namespace")
    .option('--service-account <name>', "the workload's service account")
    .option('--audience <name>', 'whom it is for; may be repeated (default: istio-ca)', repeated)
    .option('--issuer <url>', 'who issued it')
    .option('--ttl <duration>', 'how long it is good')
    .option('--expired', 'its time was over an hour ago')
    .action(({ namespace, serviceAccount, audience, issuer, ttl, expired }: TokenWords, self: Command) => {
      const words = Object.fromEntries(
        Object.entries({ namespace, serviceAccount, audience, issuer, ttl, expired }).filter(([, value]) => value !== undefined),
      );
      return call(invocation, self, async (client) => (await actions()).token(client, words));
    });
  leaf(ctl, 'certificate', "a client certificate of the server's own authority, with its key")
    .option('--namespace <name>', "the workload's namespace")
    .option('--service-account <name>', "the workload's service account")
    .option('--trust-domain <name>', "default: the server's")
    .option('--ttl <duration>', 'how long it is good')
    .action(({ namespace, serviceAccount, trustDomain, ttl }: CertificateWords, self: Command) => {
      const words = Object.fromEntries(
        Object.entries({ namespace, serviceAccount, trustDomain, ttl }).filter(([, value]) => value !== undefined),
      );
      return call(invocation, self, async (client) => (await actions()).certificate(client, words));
    });
  leaf(ctl, 'root-certificate', "the root that the server's certificate ends in, as PEM")
    .option('--former', 'also those of before, newest first')
    .action(({ former }: { readonly former?: boolean }, self: Command) =>
      call(invocation, self, async (client) => (await actions()).rootCertificate(client, former ? { former } : {})),
    );
}
