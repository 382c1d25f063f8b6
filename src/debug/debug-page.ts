import type { DebugPath } from './path.ts';

/** `/debug`: all that can be asked, for people. */
export function debugPage(paths: Readonly<Record<string, DebugPath>>): string {
  const rows = Object.entries(paths)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { help }]) => `<tr><td><a href="/debug/${name}">/debug/${name}</a></td><td>${escaped(help)}</td></tr>`);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>fake-istiod: debug</title></head>
<body>
<h1>/debug</h1>
<p>With <code>pretty</code> in the query, JSON is indented: <a href="/debug/syncz?pretty">/debug/syncz?pretty</a></p>
<table>
${rows.join('\n')}
</table>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
