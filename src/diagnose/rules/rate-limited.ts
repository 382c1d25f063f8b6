import type { Rule } from '../rule.ts';

/** 8, rate. */
export const rateLimited: Rule = {
  id: 'rate-limited',
  area: 'connection',
  cause: 'more streams come than istiod lets in, and the proxy has to wait for its turn',
  symptom: '`closed: 8, request rate limit exceeded`; heals by itself',
  rulesOut: 'no other proxies that connect in the same minute',
  next: 'how many proxies restart at once; PILOT_MAX_REQUESTS_PER_SECOND of istiod',
  words: /request rate limit exceeded/,
  refines: ['stream-refused'],
};
