import { describe, expect, it } from 'vitest';
import { goBool, goDurationNanos, goDurationText, splitHostPort } from '../../src/sidecar/go-text.ts';
import { readRelease, releaseFeatures, releaseLines, releaseOfImage } from '../../src/sidecar/release-line.ts';

describe('a release of Istio', () => {
  it.each([
    ['1.26', { version: '1.26.0', line: '1.26', exact: true }],
    ['1.31.2', { version: '1.31.2', line: '1.31', exact: true }],
    ['v1.28.1', { version: '1.28.1', line: '1.28', exact: true }],
    ['1.30.0-rc.1', { version: '1.30.0-rc.1', line: '1.30', exact: true }],
    ['1.12.3', { version: '1.12.3', line: '1.26', exact: false }],
    ['1.99', { version: '1.99.0', line: '1.31', exact: false }],
    ['latest', undefined],
    ['1', undefined],
  ])('is read: %s', (text, release) => expect(readRelease(text)).toEqual(release));

  it.each([
    ['docker.io/istio/proxyv2:1.28.1-distroless', '1.28.1'],
    ['localhost:5000/istio/proxyv2:1.27.0@sha256:abc', '1.27.0'],
    ['gcr.io/istio/proxyv2:latest', undefined],
    ['localhost:5000/istio/proxyv2', undefined],
  ])('is told by the image: %s', (image, version) => expect(releaseOfImage(image)?.version).toBe(version));

  it('has features of its own, line by line', () => {
    const limits = releaseLines.map((line) => releaseFeatures(line).connectionLimit);
    expect(limits).toEqual(['runtime', 'runtime', 'monitor', 'settable monitor', 'settable monitor', 'settable monitor']);
  });
});

describe("Go's texts", () => {
  it('know a dozen spellings of a boolean and no more', () => {
    expect(['1', 't', 'True', 'TRUE', '0', 'f', 'yes', 'tRUE', ''].map(goBool)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([
    ['10s', 10e9, '10s'],
    ['1m', 60e9, '1m0s'],
    ['1h0m1.5s', 3601.5e9, '1h0m1.5s'],
    ['250ms', 250e6, '250ms'],
    ['0', 0, '0s'],
  ])('hold a duration: %s', (text, nanos, written) => {
    expect(goDurationNanos(text)).toBe(nanos);
    expect(goDurationText(nanos)).toBe(written);
  });

  it.each(['', '10', '1 s', '1d'])('hold no duration: "%s"', (text) => expect(goDurationNanos(text)).toBeUndefined());

  it.each([
    ['istiod:15012', { host: 'istiod', port: '15012' }],
    ['[::1]:15012', { host: '::1', port: '15012' }],
    ['::1:15012', undefined],
    ['istiod', undefined],
  ])('hold host and port: %s', (text, parts) => expect(splitHostPort(text)).toEqual(parts));
});
