import { Option, type Command } from 'commander';
import type { TokenOptions } from '../action/token.ts';
import { withExamples } from '../example.ts';
import { instantOption, lifetimeOption, repeated } from '../option-value.ts';
import { namespaceOption, pkiOption, serviceAccountOption } from '../option.ts';
import type { Invocation } from '../program.ts';

/** `token`: a service account token, the JWT alone on stdout. */
export function tokenCommand(root: Command, invocation: Invocation): void {
  const command = root
    .command('token')
    .summary('mint a service account token')
    .description('Prints a JWT in the form of a projected service account token of Kubernetes, and nothing else.')
    .addOption(pkiOption())
    .option('--audience <name>', 'whom it is for; may be repeated (default: istio-ca)', repeated)
    .addOption(namespaceOption().makeOptionMandatory())
    .addOption(serviceAccountOption().makeOptionMandatory())
    .option('--issuer <url>', 'who signs it (default: https://kubernetes.default.svc.cluster.local)')
    .addOption(new Option('--ttl <time>', 'how long it is good').argParser(lifetimeOption('--ttl')).default(3_600_000, '1h'))
    .addOption(
      new Option('--not-before <when>', 'since when: 10m from now, or a time as 2030-01-31T12:00:00Z').argParser(
        instantOption('--not-before'),
      ),
    )
    .addOption(new Option('--expired', 'good for an hour, which ended an hour ago').conflicts(['ttl', 'notBefore']))
    .addOption(new Option('--unsigned', 'without a signature (alg: none)').conflicts('pki'))
    .action(async (options: TokenOptions) => {
      const { token } = await import('../action/token.ts');
      invocation.exitCode = await token(invocation.terminal, options);
    });
  withExamples(command, [
    ['fake-istiod token --pki pki --namespace demo --service-account web > istio-token', 'what istiod takes'],
    [
      'fake-istiod token --pki pki --audience https://kubernetes.default.svc --namespace demo --service-account web',
      'for somebody else: istiod refuses it',
    ],
    ['fake-istiod token --pki pki --namespace demo --service-account web --expired', 'too late'],
    ['fake-istiod token --unsigned --namespace demo --service-account web', 'without any key'],
  ]);
}
