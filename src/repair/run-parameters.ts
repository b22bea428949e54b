import { z } from 'zod';
import { idSchema } from '../contracts/id.ts';
import { InvalidJob } from './invalid-job.ts';

const rate = z.number('rate: users a second, greater than 0').positive('rate: users a second, greater than 0');

const schema = z
  .strictObject({
    /** The first and the last user, by id. */
    from: idSchema.optional(),
    to: idSchema.optional(),
    /** So many users, taken at random. */
    sample: z.int('users: a whole number from 1, or all').positive('users: a whole number from 1, or all').optional(),
    /** Users a second at the most. */
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

/** Which users a run is about, and how fast it may go. */
export type RunParameters = z.infer<typeof schema>;
export type RunParametersInput = z.input<typeof schema>;

/** @throws InvalidJob */
export function parseRunParameters(input: unknown): RunParameters {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new InvalidJob(parsed.error.issues.map(({ path, message }) => [...path, message].join(': ')).join('; '));
}
