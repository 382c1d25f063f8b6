import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';

describe('a unit test', () => {
  it.each([
    ['a TCP server', () => createServer().listen(0, '127.0.0.1')],
    ['an HTTP server', () => createHttpServer().listen(0, '127.0.0.1')],
  ])('cannot listen: %s', (_, listen) => {
    expect(listen).toThrow('must not listen on a port: list the file under `loopback`');
  });

  it.each([
    ['spawn', () => spawn(process.execPath, ['-v'])],
    ['execFile', () => execFile(process.execPath, ['-v'])],
    ['spawnSync', () => spawnSync(process.execPath, ['-v'])],
    ['execFileSync', () => execFileSync(process.execPath, ['-v'])],
  ])('cannot start a process: %s', (_, start) => {
    expect(start).toThrow('must not start a process: list the file under `loopback`');
  });
});
