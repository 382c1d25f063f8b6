import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../protobuf/package-root.ts';

/** Files of the built-in example, which lie beside the source so that they can be read. */
export type ExampleFile = 'inject.yaml' | 'mesh-config.yaml' | 'istiod.yaml';

export function exampleFile(name: ExampleFile): string {
  return join(packageRoot(), 'examples/lab', name);
}

export function exampleBytes(name: ExampleFile): Buffer {
  return readFileSync(exampleFile(name));
}
