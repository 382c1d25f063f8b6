import { describe, expect, it } from 'vitest';
import { agentReadiness, newAgentMemory } from '../../src/sidecar/agent-readiness.ts';

const cds = 'cluster_manager.cds.';
const lds = 'listener_manager.lds.';

function verdictOf(stats: Readonly<Record<string, number>>, memory = newAgentMemory): string {
  return agentReadiness(memory, new Map(Object.entries(stats))).verdict;
}

describe("pilot-agent's readiness rule", () => {
  it.each<readonly [string, Readonly<Record<string, number>>]>([
    [
      'config not received from XDS server (is Istiod running?): cds updates: 0 successful, 0 rejected; lds updates: 0 successful, 0 rejected',
      {},
    ],
    [
      'config not received from XDS server (is Istiod running?): cds updates: 0 successful, 1 rejected; lds updates: 0 successful, 1 rejected',
      { [`${cds}update_rejected`]: 1, [`${lds}update_rejected`]: 1, 'server.state': 0, 'listener_manager.workers_started': 1 },
    ],
    [
      'config received from XDS server, but was rejected: cds updates: 1 successful, 0 rejected; lds updates: 0 successful, 1 rejected',
      { [`${cds}update_success`]: 1, [`${lds}update_rejected`]: 1 },
    ],
    [
      'config not fully received from XDS server: cds updates: 1 successful, 0 rejected; lds updates: 0 successful, 0 rejected',
      { [`${cds}update_success`]: 1 },
    ],
  ])('says before both lists were accepted: %s', (verdict, stats) => {
    expect(verdictOf(stats)).toBe(verdict);
  });

  const accepted = { [`${cds}update_success`]: 1, [`${lds}update_success`]: 1 };

  it.each<readonly [string, Readonly<Record<string, number>>]>([
    ['failed to get readiness stats: server.state is not yet updated', {}],
    ['failed to get readiness stats: listener_manager.workers_started is not yet updated', { 'server.state': 3 }],
    ['server is not live, current state is: INITIALIZING', { 'server.state': 3, 'listener_manager.workers_started': 0 }],
    ['workers have not yet started', { 'server.state': 0, 'listener_manager.workers_started': 0 }],
    ['ready', { 'server.state': 0, 'listener_manager.workers_started': 1 }],
  ])('says once both lists were accepted: %s', (verdict, stats) => {
    expect(verdictOf({ ...accepted, ...stats })).toBe(verdict);
  });

  it('remembers each yes for good', () => {
    const first = agentReadiness(newAgentMemory, new Map(Object.entries(accepted)));
    expect(verdictOf({ 'server.state': 0, 'listener_manager.workers_started': 1 }, first.memory)).toBe('ready');
    const ready = agentReadiness(first.memory, new Map(Object.entries({ 'server.state': 0, 'listener_manager.workers_started': 1 })));
    expect(verdictOf({ 'server.state': 1, 'listener_manager.workers_started': 0 }, ready.memory)).toBe('ready');
    expect(verdictOf({ 'server.state': 1, 'listener_manager.workers_started': 0 }, first.memory)).toBe(
      'server is not live, current state is: DRAINING',
    );
  });
});
