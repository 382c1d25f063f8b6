import type { WrittenBody } from '../control/control-client.ts';
import { isPutBody, putBody, type PutForm } from '../control/put-body.ts';
import { FakeIstiodError, problemText } from '../errors.ts';
import { loadResources, type LoadedResource } from '../protobuf/resource-file.ts';
import { kindText, recognise } from './input-kind.ts';
import type { Terminal } from './terminal.ts';
import { writeWarnings } from './warning.ts';
import { asBody, writtenFile, type WrittenFile } from './written-file.ts';

/**
 * Files with resources in any form that `serve` reads, as a body. One that stands already in the form of the API goes as it was written, so
 * that the server can name line and column, and a type with nothing in it is said.
 *
 * @throws FakeIstiodError `input.*`, `resource.invalid`
 */
export async function resourceBody(names: readonly string[], form: PutForm, terminal: Terminal): Promise<WrittenBody> {
  const files: WrittenFile[] = [];
  for (const name of names) files.push(await writtenFile(name, terminal));
  const [only] = files;
  if (only && files.length === 1 && isPutBody(only.document, form)) return asBody(only);
  const body = putBody(
    files.flatMap((file) => resourcesIn(file, terminal)),
    form,
  );
  return { text: JSON.stringify(body), mediaType: 'application/json' };
}

function resourcesIn({ name, document }: WrittenFile, { stderr }: Terminal): readonly LoadedResource[] {
  const found = recognise(document);
  if (found.kind === 'resources') {
    const { resources, warnings } = loadResources(document);
    writeWarnings(stderr, warnings.map(problemText));
    return resources;
  }
  const isScenario = found.kind === 'scenario';
  const [what, remedy] =
    found.kind === 'other'
      ? [found.what, found.remedy]
      : [`is ${kindText(found.kind)}, not resources`, isScenario ? 'Play it: fake-istiod ctl scenario load' : 'Give a file with resources'];
  throw FakeIstiodError.of('input.unrecognised', [{ at: { file: name }, what, remedy }]);
}
