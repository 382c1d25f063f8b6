import { describe, expect, it } from 'vitest';
import { agentOptionsOf } from '../../src/cli/agent-environment.ts';

describe("pilot-agent's environment as options", () => {
  it('has defaults for what is not set', () => {
    const options = agentOptionsOf({}, { discoveryAddress: 'istiod:15012', controlPlaneAuthPolicy: 'MUTUAL_TLS' });
    expect(options).toMatchObject({
      workload: {},
      discoveryAddress: 'istiod:15012',
      controlPlaneAuthPolicy: 'MUTUAL_TLS',
      clusterId: '',
      variant: 'delta',
      key: { kind: 'rsa', bits: 2048 },
    });
    expect(options).not.toHaveProperty('caAddress');
    expect(options).not.toHaveProperty('fileMountedCerts');
  });

  it('takes who the workload is, how istiod is known and what is asked of it', () => {
    const env = {
      POD_NAME: 'web-0',
      POD_NAMESPACE: 'demo',
      SERVICE_ACCOUNT: 'web',
      INSTANCE_IP: '10.0.0.1',
      TRUST_DOMAIN: 'td',
      CA_ADDR: 'ca:15012',
      ISTIOD_SAN: 'istiod.istio-system.svc',
      PROV_CERT: '/certs',
      XDS_ROOT_CA: 'SYSTEM',
      CA_ROOT_CA: '/root.pem',
      SECRET_TTL: '1h30m',
      ISTIO_DELTA_XDS: 'false',
      ISTIO_META_CLUSTER_ID: 'c1',
      XDS_HEADER_x: '1',
      CA_HEADER_y: '2',
      ECC_SIGNATURE_ALGORITHM: 'ECDSA',
      ECC_CURVE: 'P384',
      EMPTY: '',
    };
    expect(agentOptionsOf(env, { controlPlaneAuthPolicy: 'NONE' })).toMatchObject({
      workload: { name: 'web-0', namespace: 'demo', serviceAccount: 'web', ip: '10.0.0.1', trustDomain: 'td' },
      caAddress: 'ca:15012',
      istiodSan: 'istiod.istio-system.svc',
      provCert: '/certs',
      xdsRootCa: 'SYSTEM',
      caRootCa: '/root.pem',
      secretTtlMs: 5_400_000,
      variant: 'sotw',
      clusterId: 'c1',
      xdsHeaders: { x: '1' },
      caHeaders: { y: '2' },
      key: { kind: 'ec', curve: 'P-384' },
      controlPlaneAuthPolicy: 'NONE',
    });
  });

  it('finds mounted certificates by the metadata of the ProxyConfig', () => {
    const proxyMetadata = {
      ISTIO_META_TLS_CLIENT_CERT_CHAIN: '/c',
      ISTIO_META_TLS_CLIENT_KEY: '/k',
      ISTIO_META_TLS_CLIENT_ROOT_CERT: '/r',
    };
    expect(agentOptionsOf({ FILE_MOUNTED_CERTS: 'true' }, { proxyMetadata }).fileMountedCerts).toEqual({
      chain: '/c',
      key: '/k',
      root: '/r',
    });
    expect(agentOptionsOf({ FILE_MOUNTED_CERTS: 'true' }, {}).fileMountedCerts).toBe(true);
  });

  it.each([
    [{ SECRET_TTL: '1 day' }, 'SECRET_TTL: "1 day" is not a duration such as 24h or 90s'],
    [{ ISTIO_DELTA_XDS: 'yes' }, 'ISTIO_DELTA_XDS: "yes" is not true or false'],
    [{ SECRET_GRACE_PERIOD_RATIO: '2' }, 'SECRET_GRACE_PERIOD_RATIO: "2" is not a number between 0 and 1'],
    [{ WORKLOAD_RSA_KEY_SIZE: '1000' }, 'WORKLOAD_RSA_KEY_SIZE: "1000" is not a key size such as 2048'],
    [{ PROV_CERT: '/c', FILE_MOUNTED_CERTS: 'true' }, 'PROV_CERT and FILE_MOUNTED_CERTS exclude each other'],
  ])('refuses %j', (env, message) => {
    expect(() => agentOptionsOf(env, {})).toThrow(message);
  });
});
