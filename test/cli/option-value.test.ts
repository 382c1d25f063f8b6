import { describe, expect, it } from 'vitest';
import { addressOption, countOption, durationOption, lifetimeOption, portOption, sizeOption } from '../../src/cli/option-value.ts';

describe('option values', () => {
  it.each([
    ['500ms', 500],
    ['2.5s', 2500],
    ['1m', 60_000],
  ])('reads the duration %s as %d ms', (text, ms) => expect(durationOption('--timeout')(text)).toBe(ms));

  it.each(['10', 's', ''])('refuses the duration "%s"', (text) => {
    expect(() => durationOption('--timeout')(text)).toThrow('is not a duration with a unit');
  });

  it.each([
    ['-1s', 'is less than nothing'],
    ['0s', 'is no time at all'],
    ['99999999999h', 'has the unit h, which is none of ms, s and m'],
  ])('says what is wrong with the duration %s', (text, wrong) => {
    expect(() => durationOption('--timeout')(text)).toThrow(`--timeout: "${text}" ${wrong}. Give a duration with a unit`);
  });

  it.each([
    ['-5s', 'is less than nothing'],
    ['0h', 'is no time at all'],
    ['99999999999h', 'is too long'],
    ['1.5h', 'is no whole number of its unit'],
    ['10ms', 'has the unit ms, which is none of s, m, h and d'],
  ])('says what is wrong with the lifetime %s', (text, wrong) => {
    expect(() => lifetimeOption('--ttl')(text)).toThrow(`--ttl: "${text}" ${wrong}. Give a time with a unit`);
  });

  it.each([
    ['1000', 1000],
    ['512k', 524_288],
    ['16MiB', 16_777_216],
    ['1.5 MB', 1_572_864],
  ])('reads the size %s as %d bytes', (text, bytes) => expect(sizeOption('--max-input')(text)).toBe(bytes));

  it.each(['0', '-1', '1x', 'NaN', '', '1e3'])('refuses the size "%s"', (text) => {
    expect(() => sizeOption('--max-input')(text)).toThrow('is not a size');
  });

  it.each([
    ['localhost:15012', { host: 'localhost', port: 15_012 }],
    ['[::1]:15010', { host: '::1', port: 15_010 }],
  ])('reads the address %s', (text, address) => expect(addressOption('--xds')(text)).toEqual(address));

  it.each(['localhost', 'a:0', 'a:70000', ':15012', 'http://a:1'])('refuses the address "%s"', (text) => {
    expect(() => addressOption('--xds')(text)).toThrow('is not HOST:PORT');
  });

  it('takes port 0, which means any free one', () => expect(portOption('--port')('0')).toBe(0));
  it('refuses half a job', () => expect(() => countOption('--jobs')('1.5')).toThrow('is not a whole number'));
});
