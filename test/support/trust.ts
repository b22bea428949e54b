import type { RedisTrust } from '../../src/index/epoch-watch.ts';

/** For tests in which Redis is the one on record. */
export const TRUSTED: RedisTrust = {
  isTrusted: () => true,
  known: () => undefined,
  distrust: () => undefined,
  during: (work) => work(),
};

/** For tests in which Redis has not been compared with those on record. */
export const UNTRUSTED: Pick<RedisTrust, 'isTrusted' | 'during'> = {
  isTrusted: () => false,
  during: () => Promise.reject(new Error('nothing is to be written to a Redis that is not trusted')),
};
