import type { BootstrapOptions } from '../../envoy/index.ts';
import { ExitCode } from '../../errors.ts';
import { writeBootstrapFile } from '../bootstrap-file.ts';
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
export async function writeBootstrap(terminal: Terminal, scenario: string | undefined, options: BootstrapCommandOptions): Promise<ExitCode> {
  const loaded = scenario === undefined ? undefined : await scenarioNamed(scenario, options);
  const wanted: BootstrapOptions = {
    ...options.xds,
    variant: options.variant,
    shape: options.shape,
    ...(options.nodeId === undefined ? {} : { node: { id: options.nodeId } }),
    ...(options.adminPort === undefined ? {} : { admin: { port: options.adminPort } }),
  };
  await writeBootstrapFile(scenarioBootstrap(loaded, wanted), options.output, options.format, terminal);
  if (options.output !== '-') writeLine(terminal.stderr, `${options.output} written; start Envoy with: envoy -c ${options.output}`);
  return ExitCode.ok;
}
