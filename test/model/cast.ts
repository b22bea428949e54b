import type { Limits } from '../../src/index/contact-index.ts';

/** Five users. Their ids sort differently as numbers, as text and by length; two are beyond 2^53. */
export const CAST = ['9', '10', '100', '9007199254740993', '18446744073709551615'] as const;

/** Four groups. Most have the id of a user: nothing but the kind tells them apart. */
export const GROUPS = ['9', '10', '7', '18446744073709551615'] as const;

/** Everybody has up to four contacts and groups, so that most indexes leave a contact out, and many run low. */
export const LIMITS: Limits = { max: 2, min: 1 };

/** Upload times, ms since 1970 UTC: few, so that many uploads tie. */
export const timeAt = (minute: number): number => 1_083_412_800_000 + minute * 60_000;
export const MINUTES = 9;
