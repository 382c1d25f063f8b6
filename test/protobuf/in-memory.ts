import { problemText, type Problem } from '../../src/errors.ts';
import { readDocument, type SourceDocument } from '../../src/protobuf/document.ts';

/** A document read from text, as if it were the file `x.yaml`. */
export function documentOf(text: string | Uint8Array, name = 'x.yaml'): SourceDocument {
  return readDocument({ name, bytes: typeof text === 'string' ? Buffer.from(text) : text });
}

/** The message of whatever `run` throws; fails when it throws nothing or something that is not ours. */
export function errorOf(run: () => unknown): { readonly code: string; readonly message: string; readonly problems: readonly string[] } {
  try {
    run();
  } catch (error) {
    const { name, code, message, problems } = error as { name: string; code: string; message: string; problems: readonly Problem[] };
    if (name !== 'FakeIstiodError') throw error;
    return { code, message, problems: problems.map(problemText) };
  }
  throw new Error('expected an error, and there was none');
}
