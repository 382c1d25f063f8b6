// What every unit test runs under: a port or a child process is refused, so that the unit tests stay fast and need nothing but Node.
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { Server } from 'node:net';

const refuse = (what: string) => (): never => {
  throw new Error(`a unit test must not ${what}: list the file under \`loopback\` in vitest.config.ts`);
};

Server.prototype.listen = refuse('listen on a port');
// What execFile, exec, fork and spawn all come down to.
Object.assign(childProcess.ChildProcess.prototype, { spawn: refuse('start a process') });
for (const name of ['spawnSync', 'execFileSync', 'execSync'] as const) childProcess[name] = refuse('start a process');
syncBuiltinESMExports();
