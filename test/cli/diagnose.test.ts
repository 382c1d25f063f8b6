import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cli } from './fake-terminal.ts';

async function folder(files: Readonly<Record<string, string>>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'fake-istiod-diagnose-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(dir, name, '..'), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  return dir;
}

const typo = "error initializing configuration 'x': Unknown gRPC client cluster 'istiod-xds'\nrc=1\n";
const withheld =
  'cluster_manager.cds.update_attempt: 1\ncluster_manager.cds.update_success: 0\ncluster_manager.cds.update_failure: 0\ncluster.xds-grpc.upstream_cx_rx_bytes_total: 50\n';

describe('diagnose', () => {
  it('reads standard input, says class, cause, evidence with its line and the next look, and exits 0', async () => {
    const { code, stdout } = await cli(['diagnose', '-'], { stdin: typo });
    expect(code).toBe(0);
    expect(stdout).toContain('CrashLoop: ads_config names a cluster');
    expect(stdout).toContain('<stdin>:1');
    expect(stdout).toContain('envoy --mode validate');
  });

  it('gives programs the same as JSON', async () => {
    const { stdout } = await cli(['diagnose', '--json', '-'], { stdin: typo });
    expect(JSON.parse(stdout)).toMatchObject({ class: 'crash-loop', causes: [{ id: 'ads-cluster-unknown', certainty: 'shown' }] });
  });

  it('reads what it can of several files, and names the one that it cannot', async () => {
    const dir = await folder({ 'typo.txt': typo, 'zero.yaml': '' });
    const { code, stdout, stderr } = await cli(['diagnose', join(dir, 'typo.txt'), join(dir, 'zero.yaml')]);
    expect(code).toBe(0);
    expect(stdout).toContain('CrashLoop');
    expect(stderr).toContain('zero.yaml: the file is empty');
  });

  it('tells of a run that recovered the last moment at which it was not ready', async () => {
    const dir = await folder({
      'timeline.ndjson': '{"event":"server.started","seq":1,"atMs":1}\n',
      'ready.txt': '200 LIVE\n',
      'moments/01-before-step-release/moment.json': '{"name":"before step release","atMs":900,"sinceMs":700,"seq":1}',
      'moments/01-before-step-release/ready.txt': '503 PRE_INITIALIZING\n',
      'moments/01-before-step-release/stats.txt': withheld,
    });
    const { stdout } = await cli(['diagnose', dir]);
    expect(stdout).toContain('Not ready before step release: CDS is asked for and not answered');
    expect(stdout).toMatch(/at the end of the run +Ready/);
  });

  it.each([
    [[], 2, 'there is nothing to look at'],
    [['nowhere.txt'], 2, 'nowhere.txt: no such file'],
  ])('%j ends with %i and says %s', async (args, code, text) => {
    const outcome = await cli(['diagnose', ...args]);
    expect(outcome.code).toBe(code);
    expect(outcome.stderr).toContain(text);
  });
});
