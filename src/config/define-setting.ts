import type { z } from 'zod';

/** One setting: how its text is read, and what it is for. */
export interface Setting<S extends z.ZodType, F extends string | undefined> {
  /** From the text in the environment to the value. */
  readonly schema: S;
  /** Undefined: there is no value unless one is given. */
  readonly fallback: F;
  /** What it is for, for people. */
  readonly says: string;
  /** It may be read from a file (`NAME_FILE`), and is hidden when shown: all of it, or the passwords in its URLs. */
  readonly secret?: 'hidden' | 'url';
}

/** Defines a setting. */
export function setting<S extends z.ZodType, F extends string | undefined>(
  schema: S,
  fallback: F,
  says: string,
  secret?: 'hidden' | 'url',
): Setting<S, F> {
  return { schema, fallback, says, ...(secret ? { secret } : {}) };
}
