/** Go's words for gRPC status codes (grpc-go codes.Code.String). */
const words = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
];

/** `Internal` for 13. */
export function grpcCodeWord(code: number): string {
  return words[code] ?? `Code(${code})`;
}
