import { z } from 'zod';
import { type Id, idSchema } from '../contracts/id.ts';
import { CONTACTS, type Kind } from '../contracts/kind.ts';
import { UserError } from '../contracts/user-error.ts';

/** A long job was asked for something impossible. The message says what, and what to ask for instead. Nothing was done. */
export class InvalidJob extends UserError {
  override readonly name = 'InvalidJob';

  override get kind() {
    return 'wrong_use' as const;
  }
}

/** The run to resume does not exist. */
export class UnknownRun extends UserError {
  override readonly name = 'UnknownRun';
}

const rate = z.number('rate: users a second, greater than 0').positive('rate: users a second, greater than 0');

const schema = z
  .strictObject({
    /** The ids of the first and the last user. */
    from: idSchema.optional(),
    to: idSchema.optional(),
    /** Number of users to choose at random. */
    sample: z.int('users: a whole number from 1, or all').positive('users: a whole number from 1, or all').optional(),
    /** The names of the kinds whose indexes are covered; left out: of a new run all in use, of a saved one contacts. */
    kinds: z.array(z.string()).min(1).optional(),
    /** Maximum users a second. */
    rate: rate.optional(),
    /** Only count; write to no index. */
    dryRun: z.boolean().default(false),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || BigInt(from) <= BigInt(to), {
    error: 'the range is empty: from is greater than to',
  })
  .refine(({ from, to, sample }) => sample === undefined || (from === undefined && to === undefined), {
    error: 'either a range of users or a sample of them, not both',
  });

/** The users a run covers, and its speed. */
export type RunParameters = z.infer<typeof schema>;
export type RunParametersInput = z.input<typeof schema>;

/** A new run, or one to resume, of which only the rate can be changed. */
export type RunRequest =
  | (RunParametersInput & { readonly resume?: undefined })
  | { readonly resume: Id; readonly rate?: number | undefined };

/** @throws InvalidJob */
export function parseRunParameters(input: unknown): RunParameters {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new InvalidJob(parsed.error.issues.map(({ path, message }) => [...path, message].join(': ')).join('; '));
}

/** What a job needs for one kind. */
export type KindOf<P> = P & { readonly kind: Kind };

/** What a job needs for each kind in use, contacts first. */
export interface OfKinds<P> {
  readonly kinds: readonly KindOf<P>[];
}

export function isContactsAlone(names: readonly string[]): boolean {
  return names.length === 1 && names[0] === CONTACTS.name;
}

/**
 * The kinds that a job goes over, in the order in which they are given.
 * @param inUse what the job needs for each kind in use
 * @param names undefined: all of them
 * @throws InvalidJob when one of the names is not in use
 */
export function chosenKinds<P extends { readonly kind: Kind }>(
  inUse: readonly P[],
  names: readonly string[] | undefined,
): readonly P[] {
  const missing = names?.find((name) => !inUse.some(({ kind }) => kind.name === name));
  if (missing === undefined) return inUse.filter(({ kind }) => names?.includes(kind.name) ?? true);
  const used = inUse.map(({ kind }) => kind.name).join(', ');
  throw new InvalidJob(`kind: ${missing} is not in use; RECENCY_KINDS names ${used}`);
}
