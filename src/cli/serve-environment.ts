import type { ServeOptions } from './action/serve.ts';
import { portOption } from './option-value.ts';
import type { Terminal } from './terminal.ts';

type ServedWhere = Pick<ServeOptions, 'bind' | 'controlBind' | 'controlPort'>;

/**
 * Where `serve` listens, by the environment where no option says so. For an image, in which loopback is nobody: FAKE_ISTIOD_BIND (addresses,
 * separated by commas), FAKE_ISTIOD_CONTROL_PORT, FAKE_ISTIOD_CONTROL_BIND. Error `usage.invalid`.
 */
export function withEnvironment<O extends ServedWhere>(options: O, { env }: Pick<Terminal, 'env'>): O {
  const bind = options.bind ?? listOf(env['FAKE_ISTIOD_BIND']);
  const port = env['FAKE_ISTIOD_CONTROL_PORT'];
  const controlPort = options.controlPort ?? (port ? portOption('FAKE_ISTIOD_CONTROL_PORT')(port) : undefined);
  // An address alone asks for no control API.
  const controlBind = options.controlBind ?? (controlPort === undefined ? undefined : env['FAKE_ISTIOD_CONTROL_BIND'] || undefined);
  return {
    ...options,
    ...(bind ? { bind } : {}),
    ...(controlPort === undefined ? {} : { controlPort }),
    ...(controlBind === undefined ? {} : { controlBind }),
  };
}

function listOf(text: string | undefined): readonly string[] | undefined {
  const parts = (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return parts.length > 0 ? parts : undefined;
}
