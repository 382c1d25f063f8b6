import { describe, expect, it } from 'vitest';
import { causesOf, diagnosed } from './given.ts';
import { configReports } from './reports-of-config.ts';
import { identityReports } from './reports-of-identity.ts';

describe('what people report', () => {
  it.each([...identityReports, ...configReports])('$what', ({ files, kind, first }) => {
    const result = diagnosed(files);
    expect([result.class, causesOf(result)[0]], JSON.stringify(result.causes, undefined, 1)).toEqual([kind, first]);
  });
});
