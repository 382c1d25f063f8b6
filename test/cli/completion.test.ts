import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from './fake-terminal.ts';
import { workFolder } from './work-folder.ts';

/** What bash offers after these words. */
async function offered(words: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await cli(['completion', 'bash']);
  const folder = workFolder({ 'completion.bash': stdout });
  const script = `fake-istiod() { printf 'ready\\nwithhold-eds\\n'; }; source ${join(folder, 'completion.bash')}
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; cd ${folder}; _fake_istiod; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\n').filter(Boolean);
}

describe.skipIf(spawnSync('bash', ['--version']).status !== 0)('completion in bash', () => {
  it('offers the commands', async () => expect(await offered(['fake-istiod', 's'])).toEqual(['serve', 'scenarios']));
  it('offers subcommands', async () => expect(await offered(['fake-istiod', 'envoy', ''])).toEqual(['which', 'install', 'validate']));
  it('offers the options of the command', async () =>
    expect(await offered(['fake-istiod', 'run', 'ready', '--env'])).toEqual(['--envoy', '--envoy-arg', '--envoy-admin']));
  it('offers the values of an option', async () =>
    expect(await offered(['fake-istiod', 'run', '--variant', ''])).toEqual(['sotw', 'delta', 'both']));
  it('offers scenarios', async () => expect(await offered(['fake-istiod', 'run', 'w'])).toEqual(['withhold-eds']));
  it('offers files', async () => expect(await offered(['fake-istiod', 'check', ''])).toEqual(['completion.bash']));
});

describe('completion', () => {
  it.each(['zsh', 'fish'])('knows every command in %s', async (shell) => {
    const { code, stdout } = await cli(['completion', shell]);
    expect(code).toBe(0);
    for (const word of ['run', 'serve', 'validate', 'scenarios --names']) expect(stdout).toContain(word);
  });
});
