/** What the file of the mapping may hold. */
import { z } from 'zod';
import { KINDS, type Kind } from '../contracts/kind.ts';

/** MySQL's longest name of a table or column, in characters. */
const LONGEST_NAME = 64;

const NAME = 'the name of a column';

const column = z
  .string({ error: `must be ${NAME}` })
  .min(1, `must be ${NAME}`)
  .max(LONGEST_NAME, `is longer than ${LONGEST_NAME} characters`);

const tableName = z
  .string({ error: 'must be the name of a table' })
  .regex(/^(?:[^.`]{1,64}\.)?[^.`]{1,64}$/, 'must be the name of a table, with or without its schema: shop.followers');

const lookup = z.strictObject({ table: tableName, key: column, equals: column, column });

const ID = 'must be the name of a column, or { table, key, equals, column } of the table that has the id';

/** A column, or another table. */
const idSource = z.union([column, lookup], {
  error: (issue) => (typeof issue.input === 'object' && issue.input !== null ? undefined : ID),
});

/** A value that a condition names. Whole numbers are texts, which are exact. */
const scalar = z.union(
  [z.string(), z.bigint().transform(String), z.number(), z.boolean().transform(Number), z.null()],
  'must be a text, a number, true, false or null',
);

const condition = z
  .union(
    [scalar.transform((one) => [one]), z.array(scalar).min(1, 'names no value')],
    'must be a value or a list of values',
  )
  .meta({ description: 'one of these values' });

const shared = {
  table: tableName,
  when: z
    .record(column, condition, 'must be a column and the value, or the values, that the row must have')
    .refine((when) => Object.keys(when).length > 0, 'names no column')
    .optional(),
  columns: z
    .array(column, 'must be a list of columns')
    .min(1, 'names no column; leave it out if every column counts')
    .optional(),
};

const relation = ({ singular }: Kind) =>
  z.strictObject({ ...shared, hint: z.literal(singular), user: column, [singular]: column });

const photos = ({ photoSingular, ownerField }: Kind) =>
  z.strictObject({ ...shared, hint: z.literal(photoSingular), [ownerField]: idSource });

const user = z.strictObject({ ...shared, hint: z.literal('user'), user: idSource });

const FORMS = [...KINDS.flatMap((kind: Kind) => [relation(kind), photos(kind)]), user];

type HintForms = [(typeof FORMS)[number], ...(typeof FORMS)[number][]];

/** The names of the hints. */
export const HINTS: readonly string[] = [...KINDS.flatMap((kind: Kind) => [kind.singular, kind.photoSingular]), 'user'];

/** For a misspelt field: everything that an entry may have. */
export const FIELDS: readonly string[] = [...new Set(FORMS.flatMap(({ shape }) => Object.keys(shape)))];

export const mappingSchema = z.strictObject(
  {
    version: z.literal(1n, 'must be 1'),
    tables: z
      .array(
        z.discriminatedUnion('hint', FORMS as unknown as HintForms, {
          error: (issue) =>
            issue.code === 'invalid_union' ? `must be one of ${HINTS.join(', ')}` : 'must be a table and its hint',
        }),
        'must be a list of tables',
      )
      .min(1, 'names no table'),
    ignore: z.array(tableName, 'must be a list of tables').default([]),
  },
  {
    error: (issue) => (issue.code === 'invalid_type' ? 'must be version, tables and, where needed, ignore' : undefined),
  },
);

export type WrittenLookup = z.infer<typeof lookup>;

/** An entry as it is written. The fields that hold ids have the names that the hint gives them. */
export type WrittenEntry = {
  readonly table: string;
  readonly hint: string;
  readonly when?: Readonly<Record<string, readonly (string | number | null)[]>>;
  readonly columns?: readonly string[];
} & Readonly<Record<string, unknown>>;
