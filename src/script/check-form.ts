import * as v from 'valibot';
import type { Findings } from './findings.ts';
import { scenarioForm, type ScenarioForm } from './schema.ts';

type Issue = v.BaseIssue<unknown>;
type Key = string | number;

/** The document as a scenario form; undefined if its shape is wrong, each fault being reported. */
export function checkForm(value: unknown, findings: Findings): ScenarioForm | undefined {
  const result = v.safeParse(scenarioForm, value);
  // Not the output: that has its keys in the order of the schema, and commands are carried out in the order written.
  if (result.success) return value as ScenarioForm;
  reportIssues(result.issues, findings);
  return undefined;
}

/** Reports each fault that a form's schema found; also for forms that are no scenario, as the body of a request. */
export function reportIssues(issues: readonly v.BaseIssue<unknown>[], findings: Findings): void {
  for (const issue of issues) reportIssue(issue, [], findings);
}

/** The keys down to the place that is wrong. */
function keysOf({ path }: Issue): Key[] {
  return path?.map(({ key }) => key as Key) ?? [];
}

function reportIssue(issue: Issue, above: readonly Key[], findings: Findings): void {
  const path = [...above, ...keysOf(issue)];
  const inner = innerIssues(issue);
  if (inner.length > 0) {
    for (const sub of inner) reportIssue(sub, path, findings);
    return;
  }
  const [what = '', remedy] = issue.message.split('\n');
  const ofMap = issue.type === 'strict_object';
  const missing = ofMap && issue.path !== undefined && issue.input === undefined && issue.expected !== 'never';
  const unknown = ofMap && issue.expected === 'never';
  findings.report(missing ? path.slice(0, -1) : path, what, remedy, unknown ? 'key' : 'value');
}

/**
 * Of a value that fits none of several forms: what is wrong inside the form it was meant to be, i.e. the one whose outer shape it has.
 * Empty if it has the shape of none.
 */
function innerIssues(issue: Issue): readonly Issue[] {
  const inner = issue.issues ?? [];
  const meant = inner.filter((sub) => keysOf(sub).length > 0 || (sub.issues && innerIssues(sub).length > 0));
  if (meant.length > 0) return meant;
  return inner.filter((sub) => sub.kind === 'validation');
}
