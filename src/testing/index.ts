/**
 * Entry point `fake-istiod/testing`: matchers, fixtures and set-up for tests, whatever the framework. `fake-istiod/testing/vitest` and
 * `fake-istiod/testing/jest` register the matchers and know the frameworks' types; no framework is loaded here.
 */
export { istiodMatchers } from './matchers.ts';
export type { AsymmetricIstiodMatchers, IstiodMatchers } from './matchers.ts';
export type { ReachStateOptions, StayInOptions } from './state-matchers.ts';
export type { Ackable, AckedArguments, AnswerOptions } from './ack-matcher.ts';
export type { NackedOptions } from './nack-matcher.ts';
export type { MatcherContext, MatcherResult } from './matcher-result.ts';
export { belongsTo } from './subject.ts';
export type { HasTimeline } from './subject.ts';
export { istiodFixtures } from './fixtures.ts';
export type { FixtureFunctions, IstiodFixtures } from './fixtures.ts';
export { setUpIstiod, withIstiod } from './set-up.ts';
export type { TestHooks } from './set-up.ts';
export { startTestBed } from './test-bed.ts';
export type { TestBed, TestBedOptions, TestEnvoyOptions } from './test-bed.ts';
