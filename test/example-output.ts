/*
 * What the examples' broken tests say, as it stands beside them: without what is different in each run, each place and each version of a tool.
 * The golden texts of all languages are compared in this form.
 */

const changing: readonly (readonly [RegExp, string])[] = [
  [/\x1b\[[0-9;]*m/g, ''], // eslint-disable-line no-control-regex -- colours
  [/\d+\.\d{3} {2}(?=\S)/g, '0.000  '],
  [/(127\.0\.0\.1|\[::1\]|port|pid):? ?\d+/g, '$1 N'],
  [/\bfrom (?!127\.)\d+(\.\d+){3}:\d+/g, 'from ADDRESS N'],
  [/published \S+Z\/(\d+)/g, 'published TIME/$1'],
  [/Envoy \d+\.\d+\.\d+/g, 'Envoy X.Y.Z'],
  [/ \(?\d+(\.\d+)? ?m?s\)?$/gm, ''],
  // vitest and jest
  [/^(.*RUN +v).*$/gm, '$1X'],
  [/^( +(Start at|Duration|Time:)).*$|^(Time:).*$/gm, '$1$3 …'],
  // Frames of our own, which an installed package has in node_modules, where frameworks hide them.
  [/^ +at .*fake-istiod\.js:.*\n/gm, ''],
  // Lines of source around the failure, which vitest shows or not.
  [/^ +\d*\|.*\n/gm, ''],
  // go test
  [/^(FAIL\t\S+)\t.*$/gm, '$1'],
  // pytest
  [/^(platform|rootdir).*\n/gm, ''],
  [/^=+ (.*?)( in [\d.]+s)? =+$/gm, '=== $1 ==='],
  // Maven: its own advice is another one in each version.
  [/Time elapsed: [\d.]+ s/g, 'Time elapsed: … s'],
  [/^\[ERROR\] Failed to execute goal [\s\S]*/m, ''],
  [/[ \t]+$/gm, ''],
];

const eventLine = /^ +0\.000 {2}\S/;

/** No times, ports and addresses. `sorted`: events in an order of their own, where two programs put them into the timeline. */
export function normalisedOutput(text: string, order: 'as it is' | 'sorted' = 'as it is'): string {
  const lines = changing.reduce((so, [pattern, by]) => so.replace(pattern, by), text).split('\n');
  return `${(order === 'sorted' ? withEventsSorted(lines) : lines).join('\n').trim()}\n`;
}

function withEventsSorted(lines: readonly string[]): readonly string[] {
  const sorted: string[] = [];
  let events: string[] = [];
  for (const line of lines) {
    if (eventLine.test(line)) {
      events.push(line);
      continue;
    }
    sorted.push(...events.sort(), line);
    events = [];
  }
  return [...sorted, ...events.sort()];
}
