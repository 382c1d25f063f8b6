import { Option, type Command } from 'commander';
import type { InitOptions, ShowOptions, SignOptions } from '../action/ca.ts';
import { withExamples } from '../example.ts';
import { lifetimeOption, nameOption } from '../option-value.ts';
import { jsonOption, namespaceOption, pkiOption, serviceAccountOption } from '../option.ts';
import type { Invocation } from '../program.ts';

/** `ca init|show|sign`: a certificate authority in a folder. */
export function caCommand(root: Command, invocation: Invocation): void {
  const command = root
    .command('ca')
    .summary('make, show or use a certificate authority in a folder')
    .description('Makes, shows or uses a certificate authority in a folder. Needs no running server.');
  addInit(command, invocation);
  addShow(command, invocation);
  addSign(command, invocation);
  withExamples(command, [
    ['fake-istiod ca init --pki pki', 'a root, and a key that signs tokens'],
    ['fake-istiod ca init --pki pki --intermediate --trust-domain my.domain', 'a root that signed once, and what it signed'],
    ['fake-istiod ca show --pki pki', 'names, dates, fingerprints'],
    ['fake-istiod ca sign --pki pki --namespace demo --service-account web --out web', 'what a workload proves itself with'],
  ]);
}

function addInit(command: Command, invocation: Invocation): void {
  command
    .command('init')
    .description(
      "Makes what the folder lacks and changes nothing that is there: an authority (Istio's names: root-cert.pem, ca-cert.pem, ca-key.pem, cert-chain.pem), and a key that signs tokens (token-key.pem, jwks.json).",
    )
    .addOption(pkiOption().makeOptionMandatory())
    .option('--intermediate', "let an intermediate sign; the root's key is thrown away")
    .addOption(
      new Option('--trust-domain <name>', 'whose authority it is (default: cluster.local)').argParser(nameOption('--trust-domain')),
    )
    .action(async (options: InitOptions) => {
      const { init } = await import('../action/ca.ts');
      invocation.exitCode = await init(invocation.terminal, options);
    });
}

function addShow(command: Command, invocation: Invocation): void {
  command
    .command('show')
    .description('Shows the certificates and keys of the folder, after a look at whether they fit each other. Private keys are not shown.')
    .addOption(pkiOption().makeOptionMandatory())
    .addOption(jsonOption())
    .action(async (options: ShowOptions) => {
      const { show } = await import('../action/ca.ts');
      invocation.exitCode = await show(invocation.terminal, options);
    });
}

function addSign(command: Command, invocation: Invocation): void {
  command
    .command('sign')
    .description(
      'Makes a key and a certificate for a workload, as istiod would sign it: cert-chain.pem, key.pem and root-cert.pem, replaced if they are there.',
    )
    .addOption(pkiOption().makeOptionMandatory())
    .addOption(namespaceOption().makeOptionMandatory())
    .addOption(serviceAccountOption().makeOptionMandatory())
    .requiredOption('--out <dir>', 'where to')
    .addOption(new Option('--ttl <time>', 'how long it is valid').argParser(lifetimeOption('--ttl')).default(86_400_000, '24h'))
    .addOption(new Option('--trust-domain <name>', "(default: the authority's)").argParser(nameOption('--trust-domain')))
    .action(async (options: SignOptions) => {
      const { sign } = await import('../action/ca.ts');
      invocation.exitCode = await sign(invocation.terminal, options);
    });
}
