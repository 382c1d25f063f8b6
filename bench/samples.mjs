// Times of a command, taken so that two commands can be compared on a machine that others use, too.
import { spawn } from 'node:child_process';

/** The middle of a list of numbers; of the two middle ones the mean. */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Milliseconds from spawn to the end of a command. Rejects if it does not end with 0. */
export function untilEnd(command, args) {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    let said = '';
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(performance.now() - began);
      else reject(new Error(`\`${[command, ...args].join(' ')}\` ended with ${code}\n${said}`));
    });
  });
}

/** Milliseconds from spawn until a command says on stderr what matches `ready`; then it is interrupted, and must end with 0. */
export function untilSaid(command, args, ready) {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    let said = '';
    let took;
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.on('data', (chunk) => {
      said += chunk;
      if (took !== undefined || !ready.test(said)) return;
      took = performance.now() - began;
      child.kill('SIGINT');
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (took !== undefined && code === 0) resolve(took);
      else reject(new Error(`\`${[command, ...args].join(' ')}\` ended with ${code ?? signal}\n${said}`));
    });
  });
}

/** Takes each measure in turn, `rounds` times over and once before that for nothing; the median of each, in the order given. */
export async function interleaved(rounds, measures) {
  const taken = measures.map(() => []);
  for (let round = -1; round < rounds; round += 1) {
    for (const [index, measure] of measures.entries()) {
      const value = await measure();
      if (round >= 0) taken[index].push(value);
    }
  }
  return taken.map(median);
}
