import { z } from 'zod';

/** Text, a number that JSON holds exactly, or null. */
export type ExtraValue = string | number | null;

/** What a site's view says of a row beyond what Recency needs: by the column's name without `extra_`. */
export type Extra = Readonly<Record<string, ExtraValue>>;

export const extraSchema = z.record(z.string(), z.union([z.string(), z.number(), z.null()])).meta({
  id: 'Extra',
  description:
    "The columns `extra_…` of the site's view, without the prefix; left out where the view has none. BIGINT and DECIMAL are strings, DATETIME and TIMESTAMP times in UTC.",
});
