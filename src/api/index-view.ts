import { z } from 'zod';
import { floorSchema, timeSchema } from '../contracts/http.ts';
import { idSchema } from '../contracts/id.ts';
import { isoTime } from '../contracts/iso-time.ts';
import type { IndexInspection } from '../query/inspect-index.ts';
import { floorView } from './views.ts';

const DAY_MS = 24 * 3_600_000;

const INDEX_STATES = ['warm', 'cold', 'building', 'torn', 'wrong_type'] as const;

export const stateSchema = z.enum(INDEX_STATES).meta({
  id: 'IndexState',
  description: 'Readers treat every state but warm as cold, and also a warm index of another epoch.',
});

export const indexSchema = z
  .strictObject({
    user: idSchema,
    state: stateSchema,
    epoch_current: z.boolean().nullable().meta({ description: 'null: there is no intact index.' }),
    size: z.int().nonnegative(),
    complete: z.boolean().meta({ description: 'No contact was ever left out.' }),
    floor: floorSchema.nullable(),
    members: z
      .array(z.strictObject({ id: idSchema, last_upload_at: timeSchema }))
      .meta({ description: 'As Redis has them, most recently active first.' }),
    last_used_on: z.iso.date().nullable().meta({
      description: 'The UTC day on which the index was last read or built; null: there is no intact index.',
    }),
  })
  .meta({ id: 'Index' });

/** One index in JSON, for the API and the command line. */
export function indexView(found: IndexInspection): z.input<typeof indexSchema> {
  const { user, state, epochCurrent, size, complete, floor, members, lastUsed } = found;
  return {
    user,
    state,
    epoch_current: epochCurrent ?? null,
    size,
    complete,
    floor: floorView(floor),
    members: members.map(({ id, at }) => ({ id, last_upload_at: isoTime(at) })),
    last_used_on: lastUsed === undefined ? null : isoTime(lastUsed * DAY_MS).slice(0, 'YYYY-MM-DD'.length),
  };
}
