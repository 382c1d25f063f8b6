import type { BootstrapOptions } from '../../envoy/index.ts';
import { ExitCode } from '../../errors.ts';
import { defaultAdminPort, writeBootstrapFile } from '../bootstrap-file.ts';
import { scenarioBootstrap } from '../scenario-bootstrap.ts';
import { scenarioNamed } from '../scenario-source.ts';
import { writeLine, type Terminal } from '../terminal.ts';

export interface BootstrapCommandOptions {
  readonly output: string;
  readonly variant: 'sotw' | 'delta';
  readonly xds: { readonly host: string; readonly port: number };
  readonly shape: 'lab' | 'lesson';
  readonly nodeId?: string;
  readonly adminPort?: number;
  readonly format?: 'json' | 'yaml';
  readonly maxInput: number;
}

/** `bootstrap`. */
export async function writeBootstrap(
  terminal: Terminal,
  scenario: string | undefined,
  options: BootstrapCommandOptions,
): Promise<ExitCode> {
  const loaded = scenario === undefined ? undefined : await scenarioNamed(scenario, options);
  const adminPort = options.adminPort ?? defaultAdminPort(options.shape);
  const wanted: BootstrapOptions = {
    ...options.xds,
    variant: options.variant,
    shape: options.shape,
    ...(options.nodeId === undefined ? {} : { node: { id: options.nodeId } }),
    admin: { port: adminPort },
  };
  await writeBootstrapFile(scenarioBootstrap(loaded, wanted), options.output, options.format, terminal);
  if (options.output !== '-') {
    const admin = adminPort === 0 ? 'a free port' : `127.0.0.1:${adminPort}`;
    writeLine(terminal.stderr, `${options.output} written (admin on ${admin}); start Envoy with: envoy -c ${options.output}`);
  }
  return ExitCode.ok;
}
