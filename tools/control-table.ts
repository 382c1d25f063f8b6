import type { Route } from '../src/control/route.ts';
import { tags } from '../src/control/route.ts';
import { routes } from '../src/control/route-table.ts';

const begin = '<!-- table: written by `node tools/openapi.mjs` -->';
const end = '<!-- end of the table -->';

function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}

function row({ library, method, path, ctl, summary }: Route): string {
  const shell = ctl.map((words) => code(`ctl ${words}`)).join(', ');
  return `| ${summary.replaceAll('`', '')} | ${code(`${method} ${path}`)} | ${code(library)} | ${shell} |`;
}

function tableText(): string {
  const lines = tags.flatMap((tag) => {
    const own = Object.values<Route>(routes).filter((route) => route.tag === tag);
    return [`| **${tag}** | | | |`, ...own.map(row)];
  });
  return ['| what | HTTP | library | shell |', '|---|---|---|---|', ...lines].join('\n');
}

/** docs/control.md with its table as the routes have it. */
export function withControlTable(page: string): string {
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`docs/control.md lacks the lines ${begin} and ${end}`);
  return `${before ?? ''}${begin}\n\n${tableText()}\n\n${end}${after}`;
}
