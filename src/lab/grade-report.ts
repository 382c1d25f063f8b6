import { missing, right, wrong, type LineGrade } from './grade.ts';
import { gradeValues, type WantedLine } from './grade-values.ts';
import { textLines } from './name-value.ts';

/** What the four values of the report are held against. */
export interface WantedReport {
  readonly address: WantedLine['values'];
  readonly cluster: WantedLine['values'];
}

const wantedPairs = 4;

/** Judges `08-report.md`: four values out of the other files, and four symptoms with their causes. Prose around them is free. */
export function gradeReport(text: string, { address, cluster }: WantedReport): readonly LineGrade[] {
  const wanted: readonly WantedLine[] = [
    { name: 'xds_address', values: address, hint: () => 'Where does the proxy get its configuration? 03-mesh.txt has it.' },
    { name: 'xds_cluster', values: cluster, hint: () => 'Which cluster does ads_config name in bootstrap.yaml?' },
    { name: 'typo_rc', values: ['1'], hint: () => 'The last line of 05-typo.txt.' },
    {
      name: 'ready_without_istiod',
      values: ['503', 'PRE_INITIALIZING', '503 PRE_INITIALIZING'],
      hint: () => 'What did /ready answer? 06-ready.txt has it.',
    },
  ];
  return [...gradeValues(text, wanted, false), ...pairLines(text)];
}

/** Only that there are two sides can be told here; whether they belong together is for a person. */
function pairLines(text: string): readonly LineGrade[] {
  const lines = textLines(text).filter((one) => /^\s*-(?!-)/.test(one.text));
  const seen = new Set<string>();
  const judged = lines.map(({ line, text: written }): LineGrade => {
    const said = written.replace(/^\s*-\s*/, '');
    const key = said.toLowerCase().replaceAll(/\W+/g, ' ');
    const repeated = seen.has(key);
    seen.add(key);
    if (repeated) return wrong('- symptom: cause', 'This stands here already.', { line, found: said });
    return isPair(said) ? right('- symptom: cause', line) : wrong('- symptom: cause', pairHint, { line, found: said });
  });
  const lacking = wantedPairs - judged.filter(({ status }) => status === 'right').length;
  if (lacking <= 0) return judged;
  const hint = `At least ${wantedPairs} lines begin with "-" and pair a symptom with its cause; ${lacking} more. Which files of this folder show one?`;
  return [...judged, missing('- symptom: cause', hint)];
}

const pairHint = 'A symptom (what one sees) and its cause (what makes it), with something between them: ":", "->", "because".';
const between = /\s*(?:->|=>|<-|<=|→|⇒|←|:\s|：|\s[-–—|=]\s|—|[;,，、]\s?)\s*/u;
const joining = /\b(?:because|since|means?|due to|caused by|comes? (?:of|from)|if|when|so|therefore|leads? to|results? in|is)\b/i;

function isPair(text: string): boolean {
  const words = (side: string): number => side.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  if (text.split(between).filter((side) => words(side) > 0).length >= 2) return true;
  // Of other languages only the length can be told.
  const isForeign = /[^\p{Script=Latin}\p{P}\p{S}\p{N}\s]/u.test(text);
  return words(text) >= 4 && (joining.test(text) || isForeign);
}
