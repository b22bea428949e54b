import { EXACT_WITHIN_MS } from '../contracts/http.ts';
import { factor, setting, whole } from './setting-kinds.ts';

/** The greatest MAX: Redis keeps up to 128 members in little memory, and an index has one more while it is trimmed. */
export const GREATEST_MAX = 127;

/** Settings that say who has an index, how large it is, for how long it is kept, and when it is exact. */
export const INDEX_SETTINGS = {
  MAX: setting(
    whole(1, GREATEST_MAX),
    '24',
    'maximum contacts in an index; all processes use one value, which `recency config set max` changes',
  ),
  MIN: setting(whole(1, 126), '12', 'an index with fewer contacts is refilled; one value, as MAX has'),
  INDEX_ABOVE: setting(
    whole(0, 100_000),
    '64',
    'a user has an index only with more contacts than this, ended ones included: with fewer, reading all of them takes no longer; 0: with any',
  ),
  KEEP: setting(
    factor(1_000_000),
    '1',
    'how long an index is kept that changes and is not read, as a factor: 1: until the changes have cost as much as building it again; 0: no index is built; 1000000: until IDLE_DAYS',
  ),
  EXACT_WITHIN_MS: setting(
    whole(1, 86_400_000),
    String(EXACT_WITHIN_MS),
    'an answer from an index is exact only if the index is known to lack no change that is older than this; must be more than the time that the largest audience takes, if answers are to stay exact meanwhile',
  ),
  IDLE_DAYS: setting(
    whole(0, 3650),
    '30',
    'an index that is not read for this long is dropped, whatever KEEP says; 0: never',
  ),
} as const;
