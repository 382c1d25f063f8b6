/**
 * Questions about the server itself, asked over ADS (istio pilot/pkg/xds/statusgen.go and debuggen.go). Each request is answered, also one
 * that looks like an ACK; nothing is watched.
 */
export const DebugTypeUrl = {
  /** One name: the path below `/debug/`, with its query. The answer's bytes are what HTTP would answer. */
  anything: 'istio.io/debug',
  /** How far each proxy has got. */
  sync: 'istio.io/debug/syncz',
  /** One name: the proxy of which a config dump is wanted. */
  configDump: 'istio.io/debug/config_dump',
} as const;

/** True for a question about the server itself. istiod goes by the beginning of the type URL alone (istio ads.go:processRequest). */
export function isDebugType(typeUrl: string): boolean {
  return typeUrl.startsWith(DebugTypeUrl.anything);
}
