// The rows of the table: what is done, and what must come of it.
import { median } from '../samples.mjs';

/** About so many bytes has a resource. */
const bytes = 390;
const push = { kind: 'push', type: 'clusters', variant: 'sotw', bytes, streams: 1000, tls: false, single: false, resources: 700 };

const pushes = (seen) => median(seen.flatMap(({ pushesPerSecond }) => pushesPerSecond));
const middle = (key) => (seen) => median(seen.map((one) => one[key]));
const perSecond = (value) => `${Math.round(value)} /s`;
const ms = (value) => `${value.toFixed(value < 100 ? 1 : 0)} ms`;
const us = (value) => `${value.toFixed(0)} µs`;
const kib = (value) => `${value.toFixed(0)} KiB`;

const rate = (atLeast) => ({ what: 'pushes', of: pushes, text: perSecond, atLeast });
const cpu = { what: "server's CPU per push", of: middle('cpuUs'), text: us };
const figure = (what, key, text, atMost) => ({ what, of: middle(key), text, atMost });

/** `{ name, peer, work, figures, bare }`: a figure without a bound is told and not judged. `bare`: grpc-js alone does the same work beside them. */
export function rowsOf({ short }) {
  const rounds = short ? 3 : 10;
  const deltaStreams = short ? 200 : 1000;
  const held = short ? 1000 : 5000;
  const row = (name, work, figures, peer = 'snapshot') => ({ name, peer, work: { ...push, rounds, ...work }, figures });
  const beside = (...parts) => ({ ...row(...parts), bare: true });
  return [
    beside('push 311 KB (700 resources) to 1000 SotW streams', {}, [rate(15), figure('p99', 'p99Ms', ms, 1 / 12), cpu]),
    beside('push 8.9 KB to 1000 streams, plaintext', { resources: 20 }, [rate(2), cpu]),
    row('push 8.9 KB to 1000 streams, TLS', { resources: 20, tls: true }, [rate(1.4), cpu]),
    beside('push 0.5 KB to 1000 streams, plaintext', { resources: 1 }, [rate(1.5), cpu]),
    row('push 0.5 KB to 1000 streams, TLS', { resources: 1, tls: true }, [rate(1.05), cpu]),
    row(
      `change 1 of 10 000 resources, ${deltaStreams} delta streams`,
      { variant: 'delta', resources: 10_000, bytes: 100, single: true, streams: deltaStreams },
      [rate(10), cpu],
    ),
    row(
      'the same against its linear cache, which is made for this',
      { variant: 'delta', resources: 10_000, bytes: 100, single: true, streams: deltaStreams },
      [rate(undefined), cpu],
      'linear',
    ),
    row('subscribe to 10 000 names (SotW), first response', { kind: 'names', type: 'endpoints', resources: 10_000 }, [
      figure('median', 'p50Ms', ms, 0.5),
    ]),
    row('subscribe to 10 000 names (delta), first response', { kind: 'names', type: 'endpoints', variant: 'delta', resources: 10_000 }, [
      figure('median', 'p50Ms', ms, 0.5),
    ]),
    row(
      `memory per stream of ${held}, idle, then after a push of 311 KB`,
      { kind: 'hold', streams: held, resources: 20, pushResources: 700 },
      [figure('idle', 'idleKiB', kib, 0.6), figure('after the push', 'pushedKiB', kib, 0.35), figure('at its highest', 'peakKiB', kib)],
    ),
    beside('first CDS response after connect, 1000 at once', { resources: 20, rounds: 1 }, [figure('p99', 'firstP99Ms', ms, 0.5)]),
  ];
}

/** How each grows: `{ title, unit, key, sizes, work(size) }`. */
export function growthsOf({ short }) {
  const rounds = short ? 2 : 5;
  const upTo = (most) => [10, 100, 1000, 10_000].filter((size) => size <= most);
  return [
    {
      file: 'growth-streams',
      title: 'One push of 8.9 KB, until the last stream has it',
      unit: 'streams',
      sizes: upTo(short ? 1000 : 10_000),
      work: (streams) => ({ ...push, rounds, streams, resources: 20 }),
    },
    {
      file: 'growth-resources',
      title: 'One push to 100 SotW streams, until the last has it',
      unit: 'resources',
      sizes: upTo(short ? 1000 : 10_000),
      work: (resources) => ({ ...push, rounds, streams: 100, resources }),
    },
    {
      file: 'growth-change',
      title: 'One resource changed, 100 delta streams, until the last has it',
      unit: 'resources',
      sizes: upTo(short ? 1000 : 10_000),
      work: (resources) => ({ ...push, rounds, streams: 100, resources, bytes: 100, variant: 'delta', single: true }),
    },
  ];
}

/** A row's figures: `{ what, ours, theirs, bare, ratio, goal, verdict }`. */
export function judged({ figures }, ours, theirs, bare) {
  return figures.map(({ what, of, text, atLeast, atMost }) => {
    const [our, their] = [of(ours), of(theirs)];
    const ratio = our / their;
    const goal = atLeast === undefined ? (atMost === undefined ? '' : `≤ ${bound(atMost)} ×`) : `≥ ${atLeast} ×`;
    const reached = atLeast === undefined ? atMost === undefined || ratio <= atMost : ratio >= atLeast;
    return {
      what,
      ours: text(our),
      theirs: text(their),
      bare: bare ? text(of(bare)) : '',
      ratio: `${ratio.toFixed(2)} ×`,
      goal,
      verdict: goal ? (reached ? 'reached' : '**missed**') : '',
    };
  });
}

function bound(atMost) {
  return atMost < 0.1 ? `1/${Math.round(1 / atMost)}` : String(atMost);
}
