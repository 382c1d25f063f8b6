// Writes docs/reference/ out of the source, so that the tables cannot say what the code does not.
//
//   node tools/docs.mjs           write the pages
//   node tools/docs.mjs --check   compare; exit 1 and name the pages that differ, or that nothing writes
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { schemaFields } from './schema-fields.mjs';
import { errorCodes, events, exitCodes } from './source-docs.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'docs/reference');
const made = '<!-- Written by `npm run docs`; edit the source instead. -->\n';

const cell = (text) => text.replaceAll('|', '\\|');
const row = (...cells) => `| ${cells.map(cell).join(' | ')} |`;
const table = (head, rows) => [row(...head), row(...head.map(() => '---')), ...rows].join('\n');

function errorsPage() {
  const codes = exitCodes(root);
  const valueOf = new Map(codes.map(({ name, value }) => [name, value]));
  return `# Errors and exit codes
${made}
Every error that fake-istiod throws on purpose is a \`FakeIstiodError\` with one of these codes in \`code\`. The message ends with what to do.
In a shell, the code decides the exit code.

${table(
  ['exit code', 'meaning'],
  codes.map(({ value, what }) => row(String(value), what)),
)}

\`serve\` ends with 0 on Ctrl-C, because that is how it is meant to end.

${table(
  ['error code', 'exit code', 'when'],
  errorCodes(root).map(({ code, whose, what }) => row(`\`${code}\``, String(valueOf.get(whose)), what)),
)}
`;
}

function eventSection({ event, what, fields }) {
  const rows = fields.map((field) => row(`\`${field.name}\`${field.optional ? ' (optional)' : ''}`, `\`${field.type}\``, field.what));
  const list = rows.length > 0 ? table(['field', 'type', 'meaning'], rows) : 'It has no further fields.';
  return `### \`${event}\`\n\n${what}\n\n${list}\n`;
}

function eventsPage() {
  const all = events(root);
  const rooms = [...new Set(all.map(({ room }) => room))];
  const sections = rooms.map(
    (room) =>
      `## Told by ${room}\n\n${all
        .filter((one) => one.room === room)
        .map(eventSection)
        .join('\n')}`,
  );
  return `# Events
${made}
Everything that happens is an event. The same names stand in the timeline, in \`waitFor\`, in a scenario's \`when\` and \`expect\`, and in a
report's \`timeline.ndjson\`. In the timeline an event also has \`seq\` (counts from 1) and \`atMs\` (milliseconds since the timeline began).

${sections.join('\n')}`;
}

function scenariosPage() {
  const names = readdirSync(join(root, 'scenarios')).filter((file) => file.endsWith('.yaml'));
  const rows = names.sort().map((file) => {
    const { title = '', tags = [] } = parse(readFileSync(join(root, 'scenarios', file), 'utf8'));
    const name = file.replace(/\.yaml$/, '');
    const explained = existsSync(join(root, `docs/explain/${name}.txt`)) ? `[steps](../explain/${name}.txt)` : '';
    return row(`[\`${name}\`](../../scenarios/${file})`, title, tags.join(', '), explained);
  });
  return `# Scenarios that come with fake-istiod
${made}
\`fake-istiod run NAME\` runs one against a real Envoy, \`fake-istiod explain NAME\` says it in English.

${table(['name', 'what it shows', 'tags', 'in English'], rows)}
`;
}

function scenarioFilePage() {
  const fields = schemaFields(JSON.parse(readFileSync(join(root, 'scenarios/scenario.schema.json'), 'utf8')));
  return `# What a scenario file may say
${made}
From [scenario.schema.json](../../scenarios/scenario.schema.json), which editors read. \`[]\` stands for each entry of a list, \`*\` for any key.

${table(
  ['key', 'takes', 'meaning'],
  fields.map(({ path, takes, what }) => row(`\`${path}\``, takes, what)),
)}
`;
}

const pages = {
  'errors.md': errorsPage,
  'events.md': eventsPage,
  'scenarios.md': scenariosPage,
  'scenario-file.md': scenarioFilePage,
};

function check() {
  const present = existsSync(folder) ? readdirSync(folder) : [];
  const stale = Object.entries(pages).filter(
    ([name, page]) => !present.includes(name) || readFileSync(join(folder, name), 'utf8') !== page(),
  );
  const strangers = present.filter((name) => !Object.hasOwn(pages, name));
  for (const [name] of stale)
    process.stderr.write(`docs: docs/reference/${name} is not what the source gives; run \`npm run docs\` and commit it\n`);
  for (const name of strangers) process.stderr.write(`docs: nothing writes docs/reference/${name}\n`);
  return stale.length + strangers.length === 0 ? 0 : 1;
}

if (process.argv.includes('--check')) process.exitCode = check();
else {
  mkdirSync(folder, { recursive: true });
  for (const [name, page] of Object.entries(pages)) writeFileSync(join(folder, name), page());
}
