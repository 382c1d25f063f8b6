import { FakeIstiodError, type Problem } from '../errors.ts';
import { nearestName } from '../protobuf/nearest-name.ts';
import type { InjectedWorkload, Manifest } from './workload.ts';

/** `Deployment shop/payments`: kind, namespace if it is known, name. */
export function workloadText({ kind, namespace, name }: Pick<InjectedWorkload, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/**
 * The workloads with a proxy that `wanted` names: `NAME`, `KIND/NAME` or `NAMESPACE/NAME`; all of them without it.
 *
 * @throws FakeIstiodError `manifest.invalid` if there is none: why, of each workload that was looked at.
 */
export function pickWorkloads(manifest: Manifest, wanted?: string): readonly InjectedWorkload[] {
  const { file, workloads, uninjected, problems } = manifest;
  const found = workloads.filter((workload) => wanted === undefined || isNamed(workload, wanted));
  if (found.length > 0) return found;
  const without = uninjected.filter((workload) => wanted === undefined || isNamed(workload, wanted)).map(({ problem }) => problem);
  if (without.length > 0) throw FakeIstiodError.of('manifest.invalid', [...(wanted === undefined ? problems : []), ...without]);
  if (wanted === undefined) throw FakeIstiodError.of('manifest.invalid', problems.length > 0 ? problems : [nothing(manifest)]);
  const near = nearestName(wanted, [...workloads, ...uninjected].flatMap(namesOf));
  const names = workloads.map(workloadText).join(', ');
  const remedy = near === undefined ? `It has ${names || 'none with a proxy'}` : `Did you mean "${near}"?`;
  throw FakeIstiodError.of('manifest.invalid', [{ at: { file }, what: `has no workload "${wanted}"`, remedy }, ...problems]);
}

/**
 * As `pickWorkloads`, of which there must be one.
 *
 * @throws FakeIstiodError `manifest.invalid` also if there are several; they are listed.
 */
export function pickWorkload(manifest: Manifest, wanted?: string): InjectedWorkload {
  const [workload, ...more] = pickWorkloads(manifest, wanted);
  if (workload && more.length === 0) return workload;
  const all = workload ? [workload, ...more] : more;
  const what = `has ${all.length} workloads with a proxy${wanted === undefined ? '' : ` named "${wanted}"`}: ${all.map(workloadText).join(', ')}`;
  throw FakeIstiodError.of('manifest.invalid', [
    { at: { file: manifest.file }, what, remedy: `Pick one with --workload NAME (or KIND/NAME, NAMESPACE/NAME)` },
  ]);
}

function namesOf({ kind, namespace, name }: Pick<InjectedWorkload, 'kind' | 'namespace' | 'name'>): readonly string[] {
  return [name, `${kind}/${name}`, ...(namespace === undefined ? [] : [`${namespace}/${name}`])];
}

function isNamed(workload: Pick<InjectedWorkload, 'kind' | 'namespace' | 'name'>, wanted: string): boolean {
  return namesOf(workload).some((name) => name.toLowerCase() === wanted.toLowerCase());
}

function nothing({ file, others }: Manifest): Problem {
  const kinds = [...new Set(others)];
  const what = `holds nothing that makes pods${kinds.length > 0 ? `, only ${kinds.join(', ')}` : ''}`;
  return {
    at: { file },
    what,
    remedy: 'Give a workload after injection: the output of `istioctl kube-inject`, or `kubectl get pod NAME -o yaml`',
  };
}
