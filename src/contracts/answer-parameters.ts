import { z } from 'zod';
import { givenOnce } from './http.ts';

/** Query parameters that every answer has: how far back it reaches, and how fresh it must be. */

/** Where an answer may come from: the index where it is certain, or only plain SQL on the primary. */
export const CONSISTENCIES = ['index', 'strong'] as const;

export type Consistency = (typeof CONSISTENCIES)[number];

const GREATEST_MS = Number.MAX_SAFE_INTEGER;

const MS = /^(?:0|[1-9][0-9]{0,15})$/;

/** RFC 3339, with seconds and an offset. */
const RFC_3339 =
  /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.(?<fraction>\d{1,9}))?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/**
 * A time that a client gives: RFC 3339, or ms since 1970 UTC in digits. Fractions of a millisecond are rounded up, because
 * uploads have whole ones: "since" then means the same.
 * @returns ms since 1970 UTC, ≥ 0; undefined: it is neither
 */
export function timeOf(text: string): number | undefined {
  if (MS.test(text)) return Number(text) <= GREATEST_MS ? Number(text) : undefined;
  const matched = RFC_3339.exec(text);
  const at = matched === null ? Number.NaN : Date.parse(text.toUpperCase());
  if (Number.isNaN(at) || !isCalendarDay(text)) return undefined;
  const isMore = /[1-9]/.test(matched?.groups?.fraction?.slice(3) ?? '');
  return Math.max(0, at + (isMore ? 1 : 0));
}

/** `Date.parse` takes the 31st of any month for a day of the next. */
function isCalendarDay(text: string): boolean {
  const day = text.slice(0, 10);
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
}

export const NO_TIME =
  'must be a time as in RFC 3339 (2004-05-01T12:00:00.123Z; write the + of an offset as %2B), or ms since 1970 UTC in digits';

const sinceParameter = z
  .string({ error: givenOnce(NO_TIME) })
  .transform((text, context) => {
    const at = timeOf(text);
    if (at === undefined) context.issues.push({ code: 'custom', input: text, message: NO_TIME });
    return at ?? z.NEVER;
  })
  .optional()
  .meta({
    description:
      'Only what was active at this time or later: RFC 3339, or ms since 1970 UTC. Above the floor the index answers, otherwise the database.',
    override: { type: 'string', maxLength: 40, examples: ['2004-05-01T12:00:00.123Z', '1083412800123'] },
  });

const NO_CONSISTENCY = `must be one of ${CONSISTENCIES.join(', ')}`;

const consistencyParameter = z
  .enum(CONSISTENCIES, { error: givenOnce(NO_CONSISTENCY) })
  .default('index')
  .meta({
    description:
      'index: the index answers where it is certain. strong: plain SQL on the primary answers, with every committed change; 503 when the primary is unavailable.',
  });

/** A day: a longer lag is of no use as a bound. */
export const GREATEST_LAG_MS = 86_400_000;

const NO_LAG = `must be a whole number of ms from 0 to ${GREATEST_LAG_MS}, without sign or leading zero`;

export const maxLagParameter = z
  .string({ error: givenOnce(NO_LAG) })
  .regex(/^(?:0|[1-9][0-9]{0,7})$/, NO_LAG)
  .transform(Number)
  .refine((ms) => ms <= GREATEST_LAG_MS, NO_LAG)
  .optional()
  .meta({
    description: `The greatest \`lag_ms\` to accept. When it is greater, or not known, plain SQL on the primary answers, with the reason \`lag\`.`,
    override: { type: 'integer', minimum: 0, maximum: GREATEST_LAG_MS },
  });

/** In the query of every route that answers. */
export const answerParameters = {
  since: sinceParameter,
  consistency: consistencyParameter,
  max_lag: maxLagParameter,
};
