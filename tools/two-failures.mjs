// Puts what real runs show into docs/two-failures.md, between `<!-- run: NAME -->` and `<!-- end -->`.
//
//   node tools/two-failures.mjs           make the lab, run what the page shows, and write it
//   node tools/two-failures.mjs --check   run it and compare what was said; exit 1 and say which block differs
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = join(root, 'docs/two-failures.md');
const command = join(root, 'dist/bin/fake-istiod.js');
const folder = mkdtempSync(join(tmpdir(), 'fake-istiod-lesson-'));
/** The Envoy that the page is about. */
const envoy = ['--envoy', '1.40.0'];

/** Runs the command in the folder of the lesson, so that paths are short. What it prints, all of it. */
function run(words, expected = 0) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...words], { cwd: folder, encoding: 'utf8' });
  if (status !== expected) throw new Error(`fake-istiod ${words.join(' ')} ended with ${status}, not ${expected}:\n${stdout}${stderr}`);
  return stdout.trimEnd();
}

const read = (name) => readFileSync(join(folder, 'lab', name), 'utf8').trimEnd();
const shown = (words, text, hide = []) => `$ fake-istiod ${words.filter((word) => !hide.includes(word)).join(' ')}\n${text}`;

/** Lines that two texts do not share, as `diff` marks them, with what stands around them. */
function diffOf(before, after) {
  const [a, b] = [before.split('\n'), after.split('\n')];
  const at = a.findIndex((line, i) => line !== b[i]);
  if (a.filter((line, i) => line !== b[i]).length !== 1) throw new Error('boot-typo.yaml differs in more than one line');
  const around = (from, to) => a.slice(from, to).map((line) => ` ${line}`);
  return [...around(at - 3, at), `-${a[at]}`, `+${b[at]}`, ...around(at + 1, at + 3)].join('\n');
}

/** Without time, thread and place in the source. */
const bare = (log) => log.replace(/^\[[^\]]*\]\[\d+\]\[(\w+)\]\[(\w+)\] \[[^\]]*\] /gm, '[$1][$2] ');

function gradeOfStudent() {
  cpSync(join(folder, 'lab'), join(folder, 'student'), { recursive: true });
  const edit = (name, from, to) => {
    const file = join(folder, 'student', name);
    const text = readFileSync(file, 'utf8');
    if (!text.includes(from)) throw new Error(`${name} has no ${from}`);
    writeFileSync(
      file,
      text.replace(from, () => to),
    );
  };
  edit('01-args.txt', '$(POD_NAMESPACE)', 'default');
  edit('02-env.txt', 'fieldRef:metadata.namespace', 'default');
  edit('05-typo.txt', 'rc=1', 'rc=0');
  edit('06-ready.txt', 'connected_state=0\n', '');
  const text = run(['lab', '--check', 'student/'], 1);
  const parts = text.split('\n\n').filter((part) => !part.startsWith('✓'));
  return shown(['lab', '--check', 'student/'], parts.map(withoutRight).join('\n\n'));
}

/** The lines that are right are many. */
function withoutRight(part) {
  return part
    .split('\n')
    .filter((line) => !line.startsWith('  ✓'))
    .join('\n');
}

function blocks() {
  const [made = '', live = ''] = run(['lab', 'lab', ...envoy]).split(/\n(?=Where the lab had to stop)/);
  const down = ['run', 'istiod-down', '--variant', 'delta', '--report', 'report', '--json', ...envoy];
  run(down);
  const typo = ['diagnose', 'lab/05-typo.txt', 'lab/boot-typo.yaml'];
  const check = ['check', 'lab/boot-typo.yaml', ...envoy];
  const diagnosed = run(['diagnose', 'report']).replace(/\n\nRead: [^]*/, '');
  return {
    made: made.trim(),
    args: read('01-args.txt'),
    env: read('02-env.txt'),
    mesh: read('03-mesh.txt'),
    identity: read('07-identity.txt'),
    'typo-diff': diffOf(read('bootstrap.yaml'), read('boot-typo.yaml')),
    typo: bare(read('05-typo.txt')).split('\n').slice(-2).join('\n'),
    check: shown(check, run(check, 1), envoy),
    'diagnose-typo': shown(typo, run(typo)),
    ready: read('06-ready.txt'),
    node: read('06-node.json'),
    'diagnose-down': `${shown(['run', 'istiod-down', '--variant', 'delta', '--report', 'report'], '').trimEnd()}\n${shown(['diagnose', 'report'], diagnosed)}`,
    live: live.trim(),
    grade: gradeOfStudent(),
  };
}

/** A state of a few milliseconds, which is not always seen, and the last look before Envoy left a state, which is not always made. */
const passing = /Envoy is INITIALIZING$|before (INITIALIZING|LIVE) /;

/**
 * What is said, whatever the times, ports, processes and counts, what else Envoy logs on another machine, whether that has IPv6, and the
 * order in which Envoy's answers cross ours.
 */
function essence(text) {
  return text
    .replace(/\d{4}-\d\d-\d\dT[\d:]+Z\/\d+/g, '<version>')
    .replace(/(localhost|127\.0\.0\.1|\[::1\]):\d+( and \[::1\]:\d+)?/g, '<loopback>')
    .replace(/\(process \d+\)/g, '(process)')
    .replace(/^ *\d+\.\d{3} +/gm, '')
    .replace(/\d+\.\d{3} s\b/g, '<time>')
    .replace(/(envoy\.log|stats\.txt|05-typo\.txt):\d+ */g, '$1 ')
    .replace(/(✗ rc +line) \d+/g, '$1')
    .replace(/(stats\.txt .*?): \d+/g, '$1')
    .replace(/closed(?: since \d+s ago)?:/g, 'closed:')
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line, i, all) => line !== '' && !passing.test(line) && all.indexOf(line) === i)
    .sort()
    .join('\n');
}

const block = (name) => new RegExp(`(<!-- run: ${name} -->\\n\`\`\`\\w+\\n)([^]*?)(\`\`\`\\n<!-- end -->)`);
const isCheck = process.argv.includes('--check');
try {
  let text = readFileSync(page, 'utf8');
  let differs = false;
  for (const [name, made] of Object.entries(blocks())) {
    const [, start, old, end] = block(name).exec(text) ?? [];
    if (old === undefined) throw new Error(`docs/two-failures.md has no block ${name}`);
    if (essence(old) !== essence(made)) {
      differs = true;
      if (isCheck) console.error(`docs/two-failures.md: ${name} is not what a run shows now:\n${made}\n`);
    }
    text = text.replace(block(name), () => `${start}${made}\n${end}`);
  }
  if (!isCheck) writeFileSync(page, text);
  else if (differs) {
    console.error('Run `npm run docs:lesson`, read the page once more, and commit it.');
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
