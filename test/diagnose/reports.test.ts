import { describe, expect, it } from 'vitest';
import { causesOf, diagnosed } from './given.ts';
import { configReports } from './reports-of-config.ts';
import { identityReports } from './reports-of-identity.ts';
import { agentLine, envoyLine } from './report-texts.ts';
import { podReports } from './reports-of-pods.ts';

describe('what people report', () => {
  it.each([...podReports, ...identityReports, ...configReports])('$what', ({ files, kind, first }) => {
    const result = diagnosed(files);
    expect([result.class, causesOf(result)[0]], JSON.stringify(result.causes, undefined, 1)).toEqual([kind, first]);
  });

  it('of a CA that is not reached is no report of one that refuses', () => {
    const text =
      'failed to sign CSR: create certificate: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 10.96.3.2:15012: connect: connection refused"';
    expect(causesOf(diagnosed({ 'agent.log': agentLine('error', text) }))).toEqual(['xds-refused']);
  });

  it('of a static listener that ends Envoy is no report of a NACK', () => {
    const text = "error adding listener '0.0.0.0:80': filter chain '' has the same matching rules defined as ''";
    const log = `${envoyLine(`error initializing configuration '/etc/envoy.yaml': ${text}`, 'critical')}${text}\n`;
    expect(causesOf(diagnosed({ 'envoy.log': log }))).toEqual(['bootstrap-rejected']);
  });
});
