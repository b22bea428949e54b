import { z } from 'zod';
import { timeSchema } from '../contracts/http.ts';
import { idSchema } from '../contracts/id.ts';
import { isoTime } from '../contracts/iso-time.ts';
import { KIND_NAMES } from '../contracts/kind.ts';
import type { FanOutInProgress } from '../index/redis/fan-out-progress.ts';

const count = z.int().nonnegative();

export const fanOutSchema = z
  .strictObject({
    kind: z.enum(KIND_NAMES),
    owner: idSchema,
    planned_at: timeSchema,
    segments: z.strictObject({ done: count, of: count }),
    followers: z
      .strictObject({ done: count, estimated: count })
      .meta({ description: 'Refreshed so far; and of the whole audience, as far as the segments that are done tell.' }),
    users_per_second: count.nullable().meta({ description: 'null: no segment is done yet.' }),
    ends_at: timeSchema.nullable().meta({ description: 'If it goes on like this; null: no segment is done yet.' }),
  })
  .meta({ id: 'FanOut' });

/** One large fan-out in JSON, for the API and the command line. */
export function fanOutView({ kind, owner, plannedAt, segments, followers, ...found }: FanOutInProgress) {
  const { usersPerSecond, endsAt } = found;
  return {
    ...{ kind, owner, planned_at: isoTime(plannedAt), segments, followers },
    users_per_second: usersPerSecond === undefined ? null : Math.round(usersPerSecond),
    ends_at: endsAt === undefined ? null : isoTime(Math.round(endsAt)),
  } satisfies z.input<typeof fanOutSchema>;
}
