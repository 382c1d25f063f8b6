import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { packageRoot } from './package-root.ts';

/** The lazy index over the generated descriptor set in `proto/`; nothing is read before the first question. */
export interface DescriptorIndex {
  /** The .proto file that declares a message, enum or service (`envoy.config.cluster.v3.Cluster`), if any does. */
  fileOf(typeName: string): string | undefined;
  /** The serialized `google.protobuf.FileDescriptorProto` of a .proto file; undefined when the set lacks it. */
  fileDescriptorBytes(fileName: string): Uint8Array | undefined;
  /** The .proto files that a file imports. */
  dependenciesOf(fileName: string): readonly string[];
  /** All .proto files, dependencies first. */
  fileNames(): readonly string[];
  /** Every message, enum and service name of the set. */
  typeNames(): readonly string[];
  /** Every message name of the set. */
  messageNames(): readonly string[];
}

/** One .proto file in the blob's index; written by `proto/generate/main.go`. */
interface IndexedFile {
  readonly name: string;
  readonly length: number;
  readonly imports: readonly number[];
  readonly messages?: readonly string[];
  readonly enums?: readonly string[];
  readonly services?: readonly string[];
}

let loaded: DescriptorIndex | undefined;

/** The one index of this process. The first call reads and decompresses `proto/descriptors.bin.br` (some 5 ms). */
export function descriptorIndex(): DescriptorIndex {
  loaded ??= new BlobIndex(brotliDecompressSync(readFileSync(join(packageRoot(), 'proto', 'descriptors.bin.br'))));
  return loaded;
}

class BlobIndex implements DescriptorIndex {
  readonly #blob: Buffer;
  readonly #files: readonly IndexedFile[];
  readonly #offsets = new Map<string, { readonly file: IndexedFile; readonly start: number }>();
  readonly #declaredIn = new Map<string, string>();

  constructor(blob: Buffer) {
    const indexEnd = 4 + blob.readUInt32BE(0);
    this.#blob = blob;
    this.#files = (JSON.parse(blob.toString('utf8', 4, indexEnd)) as { files: readonly IndexedFile[] }).files;
    let start = indexEnd;
    for (const file of this.#files) {
      this.#offsets.set(file.name, { file, start });
      start += file.length;
      for (const name of declarations(file)) this.#declaredIn.set(name, file.name);
    }
  }

  fileOf(typeName: string): string | undefined {
    return this.#declaredIn.get(typeName);
  }

  fileDescriptorBytes(fileName: string): Uint8Array | undefined {
    const found = this.#offsets.get(fileName);
    return found && this.#blob.subarray(found.start, found.start + found.file.length);
  }

  dependenciesOf(fileName: string): readonly string[] {
    const imports = this.#offsets.get(fileName)?.file.imports ?? [];
    return imports.flatMap((position) => this.#files[position]?.name ?? []);
  }

  fileNames(): readonly string[] {
    return this.#files.map((file) => file.name);
  }

  typeNames(): readonly string[] {
    return [...this.#declaredIn.keys()];
  }

  messageNames(): readonly string[] {
    return this.#files.flatMap((file) => file.messages ?? []);
  }
}

function declarations({ messages = [], enums = [], services = [] }: IndexedFile): readonly string[] {
  return [...messages, ...enums, ...services];
}
