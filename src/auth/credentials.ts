/** What a caller brings along, before anything of it is believed. */
export interface Credentials {
  /** Address and port. */
  readonly peer: string;
  readonly secure: boolean;
  /** Of the client certificate that the handshake has checked: its one URI name. */
  readonly certificateUri?: string;
  /** The header `authorization`. */
  readonly authorization?: string;
  /** The header `clusterid`; pilot-agent sends it with every call. */
  readonly clusterId?: string;
}
