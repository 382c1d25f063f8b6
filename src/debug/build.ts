import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../protobuf/package-root.ts';

/** What istiod tells of its own build (istio pkg/version:BuildInfo). */
export interface Build {
  /** The line of Istio that is played, so that who compares versions understands it. */
  readonly version: string;
  /** Ours. */
  readonly revision: string;
  readonly golang_version: string;
  readonly status: string;
  readonly tag: string;
}

const playedVersion = '1.31.0-fake';
let known: Build | undefined;

/** Read once, when it is first asked for. */
export function build(): Build {
  if (known) return known;
  const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { readonly version: string };
  known = { version: playedVersion, revision: version, golang_version: `node ${process.version}`, status: 'Fake', tag: playedVersion };
  return known;
}

/** `/version`: version, revision and status (istio pkg/version:BuildInfo.String). */
export function buildText(): string {
  const { version, revision, status } = build();
  return `${version}-${revision}-${status}`;
}

/** `control_plane.identifier`: who answers (istio xdsgen.go:IstioControlPlaneInstance). */
export function controlPlaneIdentifier(podName: string): string {
  return JSON.stringify({ Component: 'istiod', ID: podName, Info: build() });
}
