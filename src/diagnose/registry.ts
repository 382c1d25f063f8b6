import type { Rule } from './rule.ts';
import { mountFailed } from './rules/mount-failed.ts';
import { containerConfigError } from './rules/container-config-error.ts';
import { sandboxFailed } from './rules/sandbox-failed.ts';
import { notScheduled } from './rules/not-scheduled.ts';
import { webhookFails } from './rules/webhook-fails.ts';
import { istioInitFails } from './rules/istio-init-fails.ts';
import { istioCniMissing } from './rules/istio-cni-missing.ts';
import { wrongArchitecture } from './rules/wrong-architecture.ts';
import { imageNotPulled } from './rules/image-not-pulled.ts';
import { postStartKills } from './rules/post-start-kills.ts';
import { outOfMemory } from './rules/out-of-memory.ts';
import { proxyCrashed } from './rules/proxy-crashed.ts';
import { adsClusterUnknown } from './rules/ads-cluster-unknown.ts';
import { nodeMissing } from './rules/node-missing.ts';
import { overrideUntyped } from './rules/override-untyped.ts';
import { overrideQuoted } from './rules/override-quoted.ts';
import { bootstrapOldApi } from './rules/bootstrap-old-api.ts';
import { clusterTwice } from './rules/cluster-twice.ts';
import { addressInUse } from './rules/address-in-use.ts';
import { bootstrapRejected } from './rules/bootstrap-rejected.ts';
import { noDynamicConfig } from './rules/no-dynamic-config.ts';
import { agentNoToken } from './rules/agent-no-token.ts';
import { agentNoRoot } from './rules/agent-no-root.ts';
import { agentNoCerts } from './rules/agent-no-certs.ts';
import { agentSocketDown } from './rules/agent-socket-down.ts';
import { envoyBusy } from './rules/envoy-busy.ts';
import { hostNetworkDns } from './rules/host-network-dns.ts';
import { xdsNameNotResolved } from './rules/xds-name-not-resolved.ts';
import { xdsRefused } from './rules/xds-refused.ts';
import { xdsDropped } from './rules/xds-dropped.ts';
import { xdsNoRoute } from './rules/xds-no-route.ts';
import { xdsConnectFails } from './rules/xds-connect-fails.ts';
import { noHttp2 } from './rules/no-http2.ts';
import { connectionCut } from './rules/connection-cut.ts';
import { tlsNotTrusted } from './rules/tls-not-trusted.ts';
import { tlsWrongName } from './rules/tls-wrong-name.ts';
import { tlsExpired } from './rules/tls-expired.ts';
import { tlsNotYetValid } from './rules/tls-not-yet-valid.ts';
import { tlsUnverified } from './rules/tls-unverified.ts';
import { tlsAlpn } from './rules/tls-alpn.ts';
import { tlsClientCertificate } from './rules/tls-client-certificate.ts';
import { tlsPlaintextPort } from './rules/tls-plaintext-port.ts';
import { tlsNoHandshake } from './rules/tls-no-handshake.ts';
import { plaintextToTls } from './rules/plaintext-to-tls.ts';
import { tokenMissing } from './rules/token-missing.ts';
import { tokenAudience } from './rules/token-audience.ts';
import { tokenExpired } from './rules/token-expired.ts';
import { tokenSignature } from './rules/token-signature.ts';
import { clusterIdUnknown } from './rules/cluster-id-unknown.ts';
import { identityMismatch } from './rules/identity-mismatch.ts';
import { gateClosed } from './rules/gate-closed.ts';
import { authenticationRefused } from './rules/authentication-refused.ts';
import { nodeMalformed } from './rules/node-malformed.ts';
import { nodeMetadataType } from './rules/node-metadata-type.ts';
import { istiodNotReady } from './rules/istiod-not-ready.ts';
import { rateLimited } from './rules/rate-limited.ts';
import { messageTooLarge } from './rules/message-too-large.ts';
import { streamRefused } from './rules/stream-refused.ts';
import { proxySpeaksV2 } from './rules/proxy-speaks-v2.ts';
import { noXdsService } from './rules/no-xds-service.ts';
import { connectionReset } from './rules/connection-reset.ts';
import { idleCut } from './rules/idle-cut.ts';
import { caRefuses } from './rules/ca-refuses.ts';
import { fetchTimeoutPassed } from './rules/fetch-timeout-passed.ts';
import { fetchTimeoutSet } from './rules/fetch-timeout-set.ts';
import { responseLate } from './rules/response-late.ts';
import { unsolicited } from './rules/unsolicited.ts';
import { rtdsWithheld } from './rules/rtds-withheld.ts';
import { cdsNeverAsked } from './rules/cds-never-asked.ts';
import { cdsWithheld } from './rules/cds-withheld.ts';
import { xdsSilent } from './rules/xds-silent.ts';
import { edsWithheld } from './rules/eds-withheld.ts';
import { clusterSdsWithheld } from './rules/cluster-sds-withheld.ts';
import { ldsWithheld } from './rules/lds-withheld.ts';
import { ldsNotReceived } from './rules/lds-not-received.ts';
import { rdsWithheld } from './rules/rds-withheld.ts';
import { listenerSdsWithheld } from './rules/listener-sds-withheld.ts';
import { ecdsWithheld } from './rules/ecds-withheld.ts';
import { listenerAddressClash } from './rules/listener-address-clash.ts';
import { listenerNotBound } from './rules/listener-not-bound.ts';
import { extensionUnknown } from './rules/extension-unknown.ts';
import { routeToUnknownCluster } from './rules/route-to-unknown-cluster.ts';
import { nackLoop } from './rules/nack-loop.ts';
import { cdsNacked } from './rules/cds-nacked.ts';
import { ldsNacked } from './rules/lds-nacked.ts';
import { otherNacked } from './rules/other-nacked.ts';
import { agentNotSatisfied } from './rules/agent-not-satisfied.ts';
import { dnsTable } from './rules/dns-table.ts';
import { istiodLost } from './rules/istiod-lost.ts';
import { clusterStaysWarming } from './rules/cluster-stays-warming.ts';
import { nothingListens } from './rules/nothing-listens.ts';
import { draining } from './rules/draining.ts';
import { plannedReconnect } from './rules/planned-reconnect.ts';

/** Every cause that `diagnose` knows. A new one is a file below `rules/` and a line here. The order is theirs within an area. */
export const rules: readonly Rule[] = [
  mountFailed,
  containerConfigError,
  sandboxFailed,
  notScheduled,
  webhookFails,
  istioInitFails,
  istioCniMissing,
  wrongArchitecture,
  imageNotPulled,
  postStartKills,
  outOfMemory,
  proxyCrashed,
  adsClusterUnknown,
  nodeMissing,
  overrideUntyped,
  overrideQuoted,
  bootstrapOldApi,
  clusterTwice,
  addressInUse,
  bootstrapRejected,
  noDynamicConfig,
  agentNoToken,
  agentNoRoot,
  agentNoCerts,
  agentSocketDown,
  envoyBusy,
  hostNetworkDns,
  xdsNameNotResolved,
  xdsRefused,
  xdsDropped,
  xdsNoRoute,
  xdsConnectFails,
  noHttp2,
  connectionCut,
  tlsNotTrusted,
  tlsWrongName,
  tlsExpired,
  tlsNotYetValid,
  tlsUnverified,
  tlsAlpn,
  tlsClientCertificate,
  tlsPlaintextPort,
  tlsNoHandshake,
  plaintextToTls,
  tokenMissing,
  tokenAudience,
  tokenExpired,
  tokenSignature,
  clusterIdUnknown,
  identityMismatch,
  gateClosed,
  authenticationRefused,
  nodeMalformed,
  nodeMetadataType,
  istiodNotReady,
  rateLimited,
  messageTooLarge,
  streamRefused,
  proxySpeaksV2,
  noXdsService,
  connectionReset,
  idleCut,
  caRefuses,
  fetchTimeoutPassed,
  fetchTimeoutSet,
  responseLate,
  unsolicited,
  rtdsWithheld,
  cdsNeverAsked,
  cdsWithheld,
  xdsSilent,
  edsWithheld,
  clusterSdsWithheld,
  ldsWithheld,
  ldsNotReceived,
  rdsWithheld,
  listenerSdsWithheld,
  ecdsWithheld,
  listenerAddressClash,
  listenerNotBound,
  extensionUnknown,
  routeToUnknownCluster,
  nackLoop,
  cdsNacked,
  ldsNacked,
  otherNacked,
  agentNotSatisfied,
  dnsTable,
  istiodLost,
  clusterStaysWarming,
  nothingListens,
  draining,
  plannedReconnect,
];
