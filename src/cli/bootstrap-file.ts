import { writeFileSync } from 'node:fs';
import { lessonAdminPort, type Bootstrap } from '../envoy/index.ts';
import { isJsonObject } from '../envoy/json.ts';
import { FakeIstiodError } from '../errors.ts';
import { readDocument, type SourceDocument } from '../protobuf/document.ts';
import { recognise } from './input-kind.ts';
import type { Terminal } from './terminal.ts';

/** Reads a user's bootstrap file, YAML or JSON. Errors `input.*`, and `bootstrap.invalid` if it is something else. */
export function readBootstrap(file: string, maxInputBytes: number): Bootstrap {
  const document = readDocument(file, { maxInputBytes });
  const found = recognise(document);
  if (found.kind === 'other') throw FakeIstiodError.of('bootstrap.invalid', [{ at: { file }, what: found.what, remedy: found.remedy }]);
  return asPlainJson(document);
}

/** A document as the plain JSON that Envoy reads. Error `bootstrap.invalid` if it is no mapping. */
export function asPlainJson({ name, value }: SourceDocument): Bootstrap {
  // 64-bit numbers are text in proto3 JSON.
  const plain: unknown = JSON.parse(JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each)) ?? 'null');
  if (isJsonObject(plain)) return plain;
  throw FakeIstiodError.of('bootstrap.invalid', [{ at: { file: name }, what: 'is not a mapping, as a bootstrap is' }]);
}

/** Where people look for a proxy's admin page: pilot-agent's port, or the lesson's. */
export function defaultAdminPort(shape: 'lab' | 'lesson'): number {
  return shape === 'lesson' ? lessonAdminPort : 15_000;
}

/** Writes a bootstrap as JSON or YAML to a file or, for `-`, stdout. Error `output.unwritable`. */
export async function writeBootstrapFile(bootstrap: Bootstrap, file: string, format: 'json' | 'yaml' | undefined, { stdout }: Terminal): Promise<void> {
  const wanted = format ?? (/\.ya?ml$/i.test(file) ? 'yaml' : 'json');
  const text = wanted === 'yaml' ? (await import('./yaml-text.ts')).yamlText(bootstrap) : `${JSON.stringify(bootstrap, undefined, 2)}\n`;
  if (file === '-') return stdout.write(text);
  try {
    writeFileSync(file, text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace(/, open .*$/, '') : String(cause);
    throw new FakeIstiodError('output.unwritable', `${file} cannot be written: ${why}`, { remedy: 'Name a file in a folder that you may write to', cause });
  }
}
