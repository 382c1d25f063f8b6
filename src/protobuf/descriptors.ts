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
}

export function descriptorIndex(): DescriptorIndex {
  throw new Error('not yet');
}
