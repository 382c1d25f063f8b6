import { isIP } from 'node:net';
import type { BootstrapOptions } from '../envoy/bootstrap.ts';
import { makeBootstrap, type MadeBootstrap } from '../sidecar/make-bootstrap.ts';
import type { MeshConfig } from '../sidecar/mesh-config.ts';
import type { InjectedWorkload, Manifest } from '../sidecar/workload.ts';

/** What the lab is about: one workload of a manifest, and a mesh config. */
export interface LabInputs {
  readonly manifest: Manifest;
  readonly workload: InjectedWorkload;
  readonly mesh: MeshConfig;
}

/** What only a running pod has; the lesson makes it up. */
export interface LabPod {
  readonly ip: string;
  readonly name: string;
}

const lessonIp = '10.0.0.7';

/** A pod of the workload as the lesson has it: `payments-6d5f9` with 10.0.0.7, or what the manifest of a running pod says. */
export function lessonPod({ pod, name }: InjectedWorkload, given: Partial<LabPod> = {}): LabPod {
  return {
    ip: given.ip ?? pod.podIps[0] ?? lessonIp,
    name: given.name ?? pod.name ?? `${name.replace(/\*$/, '').replace(/-$/, '')}-6d5f9`,
  };
}

/** The pod that a node id tells of, as far as it can be one of the workload. */
export function podOfNodeId(workload: InjectedWorkload, id: string): LabPod {
  const [, ip = '', full = ''] = id.split('~');
  const dot = full.lastIndexOf('.');
  const name = dot === -1 ? full : full.slice(0, dot);
  const isOfWorkload = workload.pod.name === undefined && name.startsWith(workload.name.replace(/\*$/, ''));
  const isIp = isIP(ip) !== 0 && workload.pod.podIps.length === 0;
  return lessonPod(workload, { ...(isIp ? { ip } : {}), ...(isOfWorkload ? { name } : {}) });
}

/** The lesson's bootstrap of a pod. Errors as `makeBootstrap`. */
export function lessonOf(
  { manifest, workload, mesh }: LabInputs,
  { ip, name }: LabPod,
  more: Pick<BootstrapOptions, 'variant'> = {},
): MadeBootstrap {
  return makeBootstrap(manifest, workload, { shape: 'lesson', mesh, podIps: [ip], podName: name, more });
}
