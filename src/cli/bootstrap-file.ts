import { writeFileSync } from 'node:fs';
import { lessonAdminPort, type Bootstrap } from '../envoy/bootstrap.ts';
import { FakeIstiodError } from '../errors.ts';
import type { Terminal } from './terminal.ts';

/** Where people look for a proxy's admin page: pilot-agent's port, or the lesson's. */
export function defaultAdminPort(shape: 'lab' | 'lesson'): number {
  return shape === 'lesson' ? lessonAdminPort : 15_000;
}

/** Writes a bootstrap as JSON or YAML to a file or, for `-`, stdout. Error `output.unwritable`. */
export async function writeBootstrapFile(
  bootstrap: Bootstrap,
  file: string,
  format: 'json' | 'yaml' | undefined,
  { stdout }: Terminal,
): Promise<void> {
  const wanted = format ?? (/\.ya?ml$/i.test(file) ? 'yaml' : 'json');
  const text = wanted === 'yaml' ? (await import('./yaml-text.ts')).yamlText(bootstrap) : `${JSON.stringify(bootstrap, undefined, 2)}\n`;
  if (file === '-') return stdout.write(text);
  try {
    writeFileSync(file, text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace(/, open .*$/, '') : String(cause);
    throw new FakeIstiodError('output.unwritable', `${file} cannot be written: ${why}`, {
      remedy: 'Name a file in a folder that you may write to',
      cause,
    });
  }
}
