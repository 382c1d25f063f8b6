import { normaliseSpace, parseEnvoyLogLine } from '../envoy/envoy-log.ts';
import { missing, right, wrong, type LineGrade } from './grade.ts';
import { textLines } from './name-value.ts';

/** What Envoy printed, and the line about its exit code. */
interface Output {
  /** Envoy's words without the marks that are random or of the moment: time, thread, blanks. */
  readonly words: readonly string[];
  readonly rc: { readonly line: number; readonly code: number; readonly isLast: boolean } | undefined;
}

/** How Envoys of all ages call a cluster that `ads_config` names and that is not static; the name is captured. */
const unknownCluster = [
  /Unknown gRPC client cluster '([^']*)'/,
  /statically defined non-EDS cluster: '([^']*)' does not exist/,
  /unknown cluster '([^']*)'/i,
];

export function readOutput(text: string): Output {
  const lines = textLines(text).filter((one) => one.text.trim() !== '');
  const rcLine = lines.findLast((one) => /^rc=\d+$/.test(one.text));
  const words = lines.filter((one) => !/^rc=/.test(one.text)).map((one) => parseEnvoyLogLine(one.text)?.text ?? normaliseSpace(one.text));
  const code = rcLine && Number(rcLine.text.slice('rc='.length));
  return { words, rc: rcLine && { line: rcLine.line, code: code ?? 0, isLast: rcLine === lines.at(-1) } };
}

/** The cluster that Envoy does not know, by its own words. */
export function unknownClusterIn(words: readonly string[]): string | undefined {
  for (const line of words) {
    for (const pattern of unknownCluster) {
      const name = pattern.exec(line)?.[1];
      if (name !== undefined) return name;
    }
  }
  return undefined;
}

/** Judges `04-validate.txt`: Envoy accepts the bootstrap. */
export function gradeValidate(text: string): readonly LineGrade[] {
  const { words, rc } = readOutput(text);
  const accepted = words.find((line) => /^configuration '.*' OK$/.test(line));
  return [acceptedLine(words, accepted), rcLine(rc, (code) => code === 0, 'Envoy ends with another code when it accepts a bootstrap.')];
}

function acceptedLine(words: readonly string[], accepted: string | undefined): LineGrade {
  const name = "Envoy's output";
  if (accepted !== undefined) {
    if (!/typo/i.test(accepted)) return right(name);
    return wrong(name, 'This is about another file. `-c bootstrap.yaml`.', { found: accepted });
  }
  if (words.length === 0) return missing(name, captureHint);
  const refused = words.find((line) => isRefusal(line));
  if (refused !== undefined)
    return wrong(name, 'Envoy refuses the bootstrap. Its words say where: mend that, and validate again.', { found: refused });
  return missing(
    name,
    `Envoy's last word, that the configuration is fine, is not in it. It goes to stdout, the log to stderr. ${captureHint}`,
  );
}

const captureHint = 'Keep both: `envoy --mode validate -c FILE > OUT 2>&1; echo "rc=$?" >> OUT`.';

function isRefusal(line: string): boolean {
  return /error initializing config|Unknown gRPC client cluster|Protobuf message|Unable to parse|no such field|invalid value|does not exist|INVALID_ARGUMENT/i.test(
    line,
  );
}

/** Judges `05-typo.txt`: Envoy refuses, because of the name that is in `boot-typo.yaml`. */
export function gradeTypoOutput(text: string, typo: string | undefined): readonly LineGrade[] {
  const { words, rc } = readOutput(text);
  return [refusalLine(words, typo), rcLine(rc, (code) => code === 1, 'An Envoy that refuses its bootstrap ends with another code.')];
}

function refusalLine(words: readonly string[], typo: string | undefined): LineGrade {
  const name = "Envoy's output";
  if (words.length === 0) return missing(name, captureHint);
  const cluster = unknownClusterIn(words);
  if (cluster !== undefined) {
    if (typo === undefined || cluster === typo) return right(name);
    return wrong(name, 'boot-typo.yaml has another name by now: run Envoy again.', { found: cluster });
  }
  const accepted = words.find((line) => /^configuration '.*' OK$/.test(line));
  if (accepted !== undefined)
    return wrong(name, 'Envoy accepts that file. Was it boot-typo.yaml, and is the name in it wrong?', { found: accepted });
  const refused = words.find((line) => isRefusal(line));
  if (refused !== undefined)
    return wrong(name, 'Envoy refuses it for another reason: something else is changed as well.', { found: refused });
  return missing(name, `What Envoy says of the cluster that it does not know is not in it. ${captureHint}`);
}

function rcLine(rc: Output['rc'], isRight: (code: number) => boolean, hint: string): LineGrade {
  if (!rc) return missing('rc', 'The last line is rc= and the exit code: `echo "rc=$?"`, right after Envoy.');
  if (!rc.isLast) return wrong('rc', 'It is not the last line: is it of an earlier run?', { line: rc.line });
  if (isRight(rc.code)) return right('rc', rc.line);
  return wrong('rc', `${hint} After a pipe \`$?\` is of the last command in it, not of Envoy.`, { line: rc.line, found: rc.code });
}
