import { Option } from 'commander';
import { durationOption, nameOption, sizeOption } from './option-value.ts';

/** Options that several commands share, so that they read the same everywhere. */

/** `--variant`, of one stream or of a whole run. */
export function variantOption(choices: readonly string[], fallback: string): Option {
  return new Option('--variant <variant>', 'how xDS is spoken').choices(choices).default(fallback);
}

/** `--envoy`: which real Envoy. */
export function envoyOption(): Option {
  return new Option(
    '--envoy <which>',
    'the Envoy: a version, a path, `docker` or `docker:IMAGE` (default: ENVOY_BIN, PATH, cache, else 1.40.0 is fetched)',
  );
}

/** `--shape` of the bootstrap. */
export function shapeOption(): Option {
  return new Option('--shape <shape>', "the bootstrap's shape; `lab` reconnects fast, `lesson` is as people write it by hand")
    .choices(['lab', 'lesson'])
    .default('lab');
}

/** `--max-input`: files above it are refused. */
export function maxInputOption(): Option {
  return new Option('--max-input <size>', 'refuse larger files').argParser(sizeOption('--max-input')).default(16 * 1024 * 1024, '16MiB');
}

/** `--timeout` of a run. */
export function timeoutOption(): Option {
  return new Option('--timeout <duration>', "bound of each run instead of the scenario's own").argParser(durationOption('--timeout'));
}

/** `--json`. */
export function jsonOption(): Option {
  return new Option('--json', 'one JSON document on stdout and nothing else there');
}

/** `--pki`: the folder of a certificate authority and a token key. */
export function pkiOption(): Option {
  return new Option('--pki <dir>', 'the folder of the certificate authority and of the key that signs tokens');
}

/** `--namespace` of a workload. */
export function namespaceOption(): Option {
  return new Option('--namespace <name>', "the workload's namespace").argParser(nameOption('--namespace'));
}

/** `--service-account` of a workload. */
export function serviceAccountOption(): Option {
  return new Option('--service-account <name>', "the workload's service account").argParser(nameOption('--service-account'));
}
