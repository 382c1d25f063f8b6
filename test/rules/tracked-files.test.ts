import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkout } from './source-imports.ts';

const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: checkout, encoding: 'utf8' })
  .split('\0')
  .filter((file) => file !== '' && existsSync(join(checkout, file)));
const texts = tracked
  .filter((file) => !/\.(br|bin|png|pb|gz)$/.test(file))
  .map((file) => ({ file, text: readFileSync(join(checkout, file), 'utf8') }));

/** `file:line` of each line in which `pattern` is found. */
function placesOf(pattern: RegExp): readonly string[] {
  return texts.flatMap(({ file, text }) =>
    text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
}

describe('what git tracks', () => {
  it('names no path of the machine it was written on', () => {
    expect(placesOf(/(^|[^A-Za-z0-9_.])\/(work|root|farm)\//)).toEqual([]);
  });

  it('names no package registry and no mirror of one', () => {
    expect(placesOf(/https?:\/\/[^/\s"']*(registry|mirror|artifactory|nexus|verdaccio|devpi|goproxy)[^\s"']*/i)).toEqual([]);
    expect(placesOf(/"resolved":\s*"http/)).toEqual([]);
    expect(placesOf(/--(?:index-url|registry|extra-index-url)[= ]/)).toEqual([]);
  });

  it('names no tool of the place it was written in', () => {
    expect(placesOf(/\bfarm-[a-z]|\bissues (show|resolved|note|all)\b|\bduplicates --/)).toEqual([]);
  });

  it('has files named after a noun, in kebab case, and none that could hold anything', () => {
    const named = tracked.filter((file) => /^(src|test|tools|bench|scenarios)\//.test(file) && !/\/(golden|inputs|peers)\//.test(file));
    expect(
      named.filter((file) => /\.(ts|mjs|yaml)$/.test(file) && !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/.test(basename(file))),
    ).toEqual([]);
    expect(named.filter((file) => /^(utils?|helpers?|common|managers?|types|misc|shared)\./.test(basename(file)))).toEqual([]);
  });
});
