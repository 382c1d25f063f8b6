import { FakeIstiodError, type Problem } from '../errors.ts';
import type { DocumentPath, SourceDocument } from '../protobuf/document.ts';
import { readInnerDocument, type InnerDocument } from '../protobuf/inner-document.ts';
import { isJsonObject } from '../envoy/json.ts';
import { proxyConfigErrors } from './proxy-config-layers.ts';
import { envValue } from './read-env.ts';
import type { InjectedWorkload, PodTemplate } from './workload.ts';

/** Annotations whose value is YAML or JSON in itself. */
const structured = ['proxy.istio.io/config', 'proxy.istio.io/overrides', 'sidecar.istio.io/status', 'traffic.istio.io/nodeSelector'];

/** What is wrong with a workload beyond its form: `problems` nobody can use, `warnings` are odd and no reason not to go on. */
export function workloadFindings(workload: InjectedWorkload): {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
} {
  return { problems: innerProblems(workload), warnings: warningsOf(workload) };
}

/** Texts that should hold YAML of a mapping, and do not: annotations of the pod, PROXY_CONFIG and ISTIO_METAJSON_… of the proxy. */
function innerProblems(workload: InjectedWorkload): readonly Problem[] {
  const { pod, proxy, document } = workload;
  const env = proxy.env.filter(({ name, source }) => source === 'value' && name.startsWith('ISTIO_METAJSON_'));
  const others = structured.filter((key) => key !== 'proxy.istio.io/config');
  return [
    ...proxyConfigErrors(workload).flatMap(({ problems }) => problems),
    ...annotationProblems(pod, document, others),
    ...env.flatMap(({ path }) => innerProblem([...path, 'value'], document)),
  ];
}

/** Of annotations alone: the injector gives up on them, so they may be why there is no proxy. */
export function annotationProblems(
  { annotations, path }: PodTemplate,
  document: SourceDocument,
  keys: readonly string[] = structured,
): readonly Problem[] {
  const given = keys.filter((key) => annotations[key] !== undefined);
  return given.flatMap((key) => innerProblem([...path, 'metadata', 'annotations', key], document));
}

function innerProblem(path: DocumentPath, document: SourceDocument): readonly Problem[] {
  try {
    const inner = readInnerDocument(document, path);
    return inner ? notMapping(inner, path, document) : [];
  } catch (error) {
    return FakeIstiodError.from(error).problems;
  }
}

function notMapping({ value }: InnerDocument, path: DocumentPath, document: SourceDocument): readonly Problem[] {
  if (value === null || isJsonObject(value)) return [];
  const what = `found ${typeof value === 'string' ? 'a text' : 'no mapping'} where YAML or JSON of a mapping belongs`;
  return [{ at: document.positionOf(path), what, remedy: 'Are there quotes too many around it?' }];
}

type Check = (workload: InjectedWorkload) => readonly Problem[];

function warningsOf(workload: InjectedWorkload): readonly Problem[] {
  const checks: readonly Check[] = [
    nativeWithoutRestart,
    unexpandedNames,
    repeatedNames,
    audience,
    missingToken,
    unmounted,
    hostNetworkNames,
    notPilotAgent,
    unrendered,
  ];
  return checks.flatMap((check) => check(workload));
}

const nativeWithoutRestart: Check = ({ proxy, positionOf }) => {
  if (!proxy.native || proxy.value['restartPolicy'] === 'Always') return [];
  const what = `init container ${proxy.name} has no restartPolicy: Always, so the kubelet waits for it to end and never starts the app`;
  return [{ at: positionOf(proxy.path), what, remedy: 'Add restartPolicy: Always' }];
};

/** `$(NAME)` of nothing stays as it is: the kubelet is no shell. */
const unexpandedNames: Check = ({ proxy, positionOf }) => {
  if (proxy.envFrom.length > 0) return [];
  const known = new Set(proxy.env.map(({ name }) => name));
  return proxy.args.raw.flatMap((arg, i) => {
    const names = [...arg.matchAll(/\$\$|\$\(([A-Za-z_.-][\w.-]*)\)/g)].flatMap(([, name]) => name ?? []);
    return names
      .filter((name) => !known.has(name))
      .map((name) => ({
        at: positionOf([...proxy.path, 'args', i]),
        what: `$(${name}) stays as it is: the container has no variable ${name}`,
        remedy: 'Define it in `env`, or correct the name',
      }));
  });
};

const repeatedNames: Check = ({ proxy, positionOf }) =>
  proxy.env
    .filter(({ name }, i) => proxy.env.findIndex((other) => other.name === name) < i)
    .map(({ name, path }) => ({ at: positionOf(path), what: `${name} is set twice; the later one counts`, remedy: 'Keep one of the two' }));

/** @see docs/identity.md; istiod's TOKEN_AUDIENCES */
const audience: Check = ({ identity: { token }, positionOf }) => {
  if (!token || token.audience === 'istio-ca' || isUnrendered(token.audience)) return [];
  const found = token.audience === undefined ? 'for the API server (no audience), as its own tokens are' : `for "${token.audience}"`;
  const what = `the token of volume ${token.volume} is ${found}; istiod believes tokens for istio-ca, unless its TOKEN_AUDIENCES says otherwise`;
  return [{ at: positionOf(token.path), what, remedy: 'Set audience: istio-ca, or serve with that audience' }];
};

const missingToken: Check = ({ identity, proxy, flavour, positionOf }) => {
  const wantsToken = proxy.env.some(({ name }) => name === 'CA_ADDR') && flavour !== 'proxyless-grpc';
  if (identity.token || identity.certSecret || !wantsToken || envValue(proxy.env, 'JWT_POLICY') === 'first-party-jwt') return [];
  const what =
    'no volume projects a service account token: pilot-agent has nothing to show to istiod (releases before 1.7 end at once, a CrashLoop)';
  return [{ at: positionOf(proxy.path), what, remedy: 'Inject with the template of the istiod that is there' }];
};

const unmounted: Check = ({ identity: { token, ca }, proxy, positionOf }) =>
  [token, ca].flatMap((volume) =>
    volume && volume.mountPath === undefined
      ? [
          {
            at: positionOf(volume.path),
            what: `volume ${volume.volume} is there, and ${proxy.name} does not mount it`,
            remedy: 'Add a volumeMount',
          },
        ]
      : [],
  );

const hostNetworkNames: Check = ({ pod, positionOf }) => {
  const policy = pod.spec['dnsPolicy'] ?? 'ClusterFirst';
  if (!pod.hostNetwork || policy !== 'ClusterFirst') return [];
  const what = "hostNetwork: true with dnsPolicy ClusterFirst asks the node's DNS, which does not know istiod.istio-system.svc";
  return [{ at: positionOf([...pod.path, 'spec', 'hostNetwork']), what, remedy: 'Set dnsPolicy: ClusterFirstWithHostNet' }];
};

/** A container whose command is something else than `pilot-agent proxy`: an Envoy with a file of its own, a shell, a test's stand-in. */
export const notPilotAgent: Check = ({ proxy, positionOf }) => {
  const words = [...proxy.args.command, ...proxy.args.raw];
  if (words.includes('proxy') || words.some((word) => word.includes('pilot-agent proxy'))) return [];
  const ran = words.length === 0 ? 'no command and no args' : `"${words.join(' ')}"`;
  const what = `${proxy.name} runs ${ran}, not \`pilot-agent proxy …\`: there is no bootstrap that pilot-agent makes`;
  return [{ at: positionOf([...proxy.path, 'args']), what, remedy: 'Give a workload that pilot-agent runs in, for a bootstrap' }];
};

/** What Go templates write for a value that was not given. */
function isUnrendered(text: string | undefined): boolean {
  return text !== undefined && /<no value>|<nil>/.test(text);
}

const unrendered: Check = ({ proxy, positionOf }) => {
  const places: readonly DocumentPath[] = [
    ...proxy.args.raw.flatMap((arg, i) => (isUnrendered(arg) ? [[...proxy.path, 'args', i]] : [])),
    ...proxy.env.flatMap((entry) => (entry.source === 'value' && isUnrendered(entry.value) ? [[...entry.path, 'value']] : [])),
  ];
  const [first] = places;
  if (first === undefined) return [];
  const what = `${places.length} args and variables read "<no value>" or "<nil>": the injector's template was filled in without these values`;
  return [{ at: positionOf(first), what, remedy: 'Inject with the values of an installed istiod' }];
};
