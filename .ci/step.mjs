// One step of the run: a command with its own words on our output, a time limit, and, for vitest, the tests counted.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A command that ends with this code says: not here, for the reason printed. */
const SKIPPED = 77;

/** Runs a command in a process group of its own, which is ended whole when the time is up. Resolves with the exit code. */
function finished(command, args, { env, limitMs }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true, env: { ...process.env, ...env } });
    const end = (signal) => {
      try {
        process.kill(-child.pid, signal);
      } catch {
        // It is gone already.
      }
    };
    const timer = setTimeout(() => {
      process.stdout.write(`\nstopped: it took longer than ${limitMs / 60_000} minutes\n`);
      end('SIGKILL');
    }, limitMs);
    const passOn = (signal) => end(signal);
    process.once('SIGINT', passOn).once('SIGTERM', passOn);
    const settle = (code) => {
      clearTimeout(timer);
      process.off('SIGINT', passOn).off('SIGTERM', passOn);
      resolve(code);
    };
    child.on('error', (error) => {
      process.stdout.write(`cannot run \`${command}\`: ${error.message}\n`);
      settle(127);
    });
    child.on('close', (code) => settle(code ?? 1));
  });
}

/** Reads what vitest's JSON reporter wrote: how many tests passed and failed, and the full name of each that passed. */
function counted(file) {
  if (!existsSync(file)) return { passed: 0, failed: 0, names: [] };
  const { testResults, numPassedTests, numFailedTests } = JSON.parse(readFileSync(file, 'utf8'));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  return {
    passed: numPassedTests,
    failed: numFailedTests,
    names: tests.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName),
  };
}

/**
 * Runs one step. `tests: true` means the command takes vitest's reporter options at its end.
 * Returns `{ name, seconds, outcome, passed, failed, names }`; a step counts as one test, besides the tests it ran.
 */
export async function runStep({ name, command, args, env = {}, limitMs = 10 * 60_000, tests = false }) {
  process.stdout.write(`\n=== ${name}\n`);
  const began = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'fake-istiod-ci-'));
  try {
    const report = join(folder, 'report.json');
    const reporters = tests ? ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`] : [];
    const code = await finished(command, [...args, ...reporters], { env, limitMs });
    const outcome = code === 0 ? 'passed' : code === SKIPPED ? 'skipped' : 'failed';
    return { name, seconds: (performance.now() - began) / 1000, outcome, ...counted(report) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
