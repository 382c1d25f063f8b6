import { isIP } from 'node:net';
import { FakeIstiodError } from '../errors.ts';
import { durationTrouble } from '../script/duration.ts';

/** A whole number of at least `least`. */
export function countOption(name: string, least = 1): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && Number.isSafeInteger(value)) return value;
    throw invalid(name, text, `a whole number of at least ${least}`);
  };
}

/** A TCP port; 0 asks for any free one. */
export function portOption(name: string): (text: string) => number {
  return (text) => {
    if (/^\d+$/.test(text) && Number(text) <= 65_535) return Number(text);
    throw invalid(name, text, 'a port between 0 and 65535 (0 takes a free one)');
  };
}

const byteUnits: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  k: 1024,
  kb: 1024,
  kib: 1024,
  m: 1024 ** 2,
  mb: 1024 ** 2,
  mib: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1024 ** 3,
  gib: 1024 ** 3,
};

/** Bytes: `1000000`, `512k`, `16MiB`. Units are powers of 1024. */
export function sizeOption(name: string): (text: string) => number {
  return (text) => {
    const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text);
    const unit = byteUnits[match?.[2]?.toLowerCase() ?? '?'];
    const bytes = Math.floor(Number(match?.[1]) * (unit ?? Number.NaN));
    if (Number.isSafeInteger(bytes) && bytes > 0) return bytes;
    throw invalid(name, text, 'a size such as 1000000, 512k or 16MiB');
  };
}

const timeUnits: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/** Milliseconds out of `500ms`, `2.5s`, `1m`. */
export function durationOption(name: string): (text: string) => number {
  return (text) => {
    const match = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text);
    const value = Number(match?.[1]) * (timeUnits[match?.[2] ?? ''] ?? Number.NaN);
    if (Number.isFinite(value) && value > 0) return value;
    throw wrongDuration(name, text, Object.keys(timeUnits), 'a duration with a unit, such as 500ms, 10s or 2m');
  };
}

const lifetimeUnits: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function lifetimeMs(text: string): number | undefined {
  const match = /^(\d{1,6})([smhd])$/.exec(text);
  const ms = Number(match?.[1]) * (lifetimeUnits[match?.[2] ?? ''] ?? Number.NaN);
  return ms > 0 ? ms : undefined;
}

/** Milliseconds out of `90s`, `30m`, `24h`, `7d`: how long something is valid. */
export function lifetimeOption(name: string): (text: string) => number {
  return (text) => {
    const ms = lifetimeMs(text);
    if (ms !== undefined) return ms;
    throw wrongDuration(name, text, Object.keys(lifetimeUnits), 'a time with a unit, such as 90s, 30m, 24h or 7d');
  };
}

/** An instant: a time from now (`10m`), or a date and time with its zone. */
export function instantOption(name: string): (text: string) => (now: Date) => Date {
  return (text) => {
    const later = lifetimeMs(text);
    if (later !== undefined) return (now) => new Date(now.getTime() + later);
    const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(at) ? fail(name, text, 'a time from now such as 10m, or one such as 2030-01-31T12:00:00Z') : () => new Date(at);
  };
}

/** A name as Kubernetes gives it, without what separates names in an identity. */
export function nameOption(name: string): (text: string) => string {
  return (text) =>
    /^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/.test(text) ? text : fail(name, text, 'a name of letters, digits, "-" and "."');
}

/** Where a control plane listens: `HOST:PORT`, `[IPv6]:PORT`. */
export function addressOption(name: string): (text: string) => { readonly host: string; readonly port: number } {
  return (text) => {
    const match = /^(?:\[([0-9a-f:.%]+)\]|([^:[\]\s/]+)):(\d+)$/i.exec(text);
    const port = Number(match?.[3]);
    const host = match?.[1] ?? match?.[2];
    if (host !== undefined && port >= 1 && port <= 65_535) return { host, port };
    throw invalid(name, text, 'HOST:PORT, e.g. localhost:15012 or [::1]:15012');
  };
}

/** Collects an option that may be given several times. */
export function repeated(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** Collects the values of an option that may be given several times, each read by `read`. */
export function repeatedWith(read: (text: string) => string): (text: string, before: readonly string[] | undefined) => readonly string[] {
  return (text, before) => [...(before ?? []), read(text)];
}

/** An IP address of either family. */
export function ipOption(name: string): (text: string) => string {
  return (text) => (isIP(text) === 0 ? fail(name, text, 'an IP address, e.g. 10.0.0.7 or fd00::7') : text);
}

/** Collects `NAME=VALUE` of an option that may be given several times. */
export function pairOption(
  name: string,
): (text: string, before: Readonly<Record<string, string>> | undefined) => Readonly<Record<string, string>> {
  return (text, before) => {
    const [, key, value] = /^([A-Za-z_][\w.-]*)=(.*)$/s.exec(text) ?? [];
    return key === undefined || value === undefined ? fail(name, text, 'NAME=VALUE') : { ...before, [key]: value };
  };
}

/** What is wrong with a duration that has a unit, else that it has none. */
function wrongDuration(name: string, text: string, units: readonly string[], expected: string): FakeIstiodError {
  const isPlain = /^\d+(\.\d+)?[a-z]+$/i.test(text);
  const trouble = durationTrouble(text, units) ?? (isPlain && wrongAmount(text));
  return trouble
    ? new FakeIstiodError('usage.invalid', `${name}: "${text}" ${trouble}`, { remedy: `Give ${expected}` })
    : invalid(name, text, expected);
}

function wrongAmount(text: string): string {
  const amount = Number.parseFloat(text);
  if (amount === 0) return 'is no time at all';
  return Number.isInteger(amount) ? 'is too long' : 'is no whole number of its unit';
}

function fail(name: string, text: string, expected: string): never {
  throw invalid(name, text, expected);
}

function invalid(name: string, text: string, expected: string): FakeIstiodError {
  return new FakeIstiodError('usage.invalid', `${name}: "${text}" is not ${expected}`);
}
