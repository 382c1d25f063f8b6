import { expect, it } from 'vitest';
import { inVersionRange } from '../../src/observe/version-range.ts';

it.each([
  ['>=1.39', '1.40.0', true],
  ['>=1.39', '1.38.3', false],
  ['<1.40', '1.40.3', false],
  ['<1.40', '1.39.9', true],
  ['1.40', '1.40.3', true],
  ['1.40.0', '1.40.3', false],
  ['> 1.38 <1.40', '1.39.1', true],
  ['>1.38 <1.40', '1.38.7', false],
  ['<=1.38.3', '1.38.3', true],
  ['>=1.40', '1.40.0-dev', true],
  ['new', '1.40.0', false],
])('the range %s holds Envoy %s: %s', (range, version, holds) => {
  expect(inVersionRange(range, version)).toBe(holds);
});
