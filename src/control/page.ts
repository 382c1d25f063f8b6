import { tags, type Route, type Tag } from './route.ts';

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (letter) => entities[letter] ?? letter);
}

/** Text between backquotes is code. */
function prose(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

/** What can be opened in a browser as it stands is a link. */
function pathText({ method, path, produces }: Route): string {
  const shown = `<code>${escaped(path)}</code>`;
  const opens = method === 'GET' && !path.includes('{') && produces !== 'text/event-stream';
  return opens ? `<a href="${escaped(path)}">${shown}</a>` : shown;
}

function row(route: Route): string {
  return `<tr><td>${route.method}</td><td>${pathText(route)}</td><td>${prose(route.summary)}</td></tr>`;
}

function section(tag: Tag, routes: readonly Route[]): string {
  const own = routes.filter((route) => route.tag === tag);
  return `<h2>${escaped(tag)}</h2>\n<table>\n${own.map(row).join('\n')}\n</table>`;
}

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}td{padding:.15rem .8rem .15rem 0;vertical-align:top}code{font-size:.95em}';

/** The page at `/`: what can be asked, for people. Nothing in it comes from anywhere else. */
export function page(table: Readonly<Record<string, Route>>): string {
  const routes = Object.values(table);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>fake-istiod: control API</title><style>${style}</style></head>
<body>
<h1>fake-istiod: control API</h1>
<p>What each takes and answers: <a href="/openapi.json">openapi.json</a>. In a shell: <code>fake-istiod ctl --help</code>.</p>
${tags.map((tag) => section(tag, routes)).join('\n')}
</body>
</html>
`;
}
