import { z } from 'zod';
import type { HttpOperation } from '../api/route.ts';
import { isoTime, relationField } from '../contracts/http.ts';
import { idSchema } from '../contracts/id.ts';
import { KIND_NAMES } from '../contracts/kind.ts';
import { CHANNELS, type Watch } from '../contracts/watch.ts';
import type { Site } from '../site/site.ts';

/** Contacts and other sources that a watch may mute. */
const MUTED_AT_MOST = 1_000;

/** The longest interval, ms: a week. */
const LONGEST_INTERVAL_MS = 7 * 86_400_000;

const fieldsOf = ({ relations }: Pick<Site, 'relations'>) => ({
  kinds: z
    .array(z.enum(KIND_NAMES as [string, ...string[]]))
    .min(1)
    .max(KIND_NAMES.length)
    .refine((kinds) => new Set(kinds).size === kinds.length, 'has the same kind twice')
    .meta({ description: 'The kinds that it is told of.' }),
  relation: relationField(relations).meta({ description: 'Of contacts; other kinds have no relations.' }),
  muted: z.array(idSchema).max(MUTED_AT_MOST).meta({ description: 'Ids that it is never told of.' }),
  interval_ms: z
    .int()
    .min(0)
    .max(LONGEST_INTERVAL_MS)
    .meta({ description: 'Least time from one notification to the next, ms; what is new meanwhile comes together.' }),
  url: z.string().max(2_048).meta({ description: 'Of a webhook: https, without a user or password.' }),
});

type WatchFields = ReturnType<typeof fieldsOf>;

/** What creates a watch. */
const newWatchOf = (fields: WatchFields) =>
  z
    .strictObject({
      user: idSchema,
      kinds: fields.kinds.optional(),
      channel: z.enum(CHANNELS),
      url: fields.url.optional(),
      relation: fields.relation.default('any'),
      muted: fields.muted.default([]),
      interval_ms: fields.interval_ms.default(0),
    })
    .meta({ id: 'NewWatch' });

const patchOf = (fields: WatchFields) =>
  z
    .strictObject({
      kinds: fields.kinds.optional(),
      url: fields.url.optional(),
      relation: fields.relation.optional(),
      muted: fields.muted.optional(),
      interval_ms: fields.interval_ms.optional(),
      rotate_secret: z.literal(true).optional().meta({
        description:
          'Of a webhook: a new secret, returned once. The current one signs along with it until the next rotation.',
      }),
    })
    .meta({ id: 'WatchPatch', description: 'What is left out stays. A watch that had ended goes on.' });

/** What a request about watches may say. */
export interface WatchBodies {
  readonly created: ReturnType<typeof newWatchOf>;
  readonly changed: ReturnType<typeof patchOf>;
}

/** @param site whose relations a watch may name */
export function watchBodiesOf(site: Pick<Site, 'relations'>): WatchBodies {
  const fields = fieldsOf(site);
  return { created: newWatchOf(fields), changed: patchOf(fields) };
}

const watchSchema = z
  .strictObject({
    id: idSchema,
    user: idSchema,
    kinds: z.array(z.enum(KIND_NAMES as [string, ...string[]])),
    channel: z.enum(CHANNELS),
    url: z.string().optional(),
    relation: z.string(),
    muted: z.array(idSchema),
    interval_ms: z.int(),
    state: z.enum(['waiting', 'delivering', 'retrying', 'ended']),
    ended: z.string().optional().meta({ description: 'Why nothing is delivered any more.' }),
    attempts: z.int().optional().meta({ description: 'Deliveries of the current notification that failed.' }),
    notified_at: z.iso.datetime().optional().meta({ description: 'The last delivery, tests apart.' }),
    last_test: z
      .strictObject({
        notification: z.string(),
        delivered: z.boolean(),
        why: z.string().optional().meta({ description: 'Why it was not delivered.' }),
      })
      .optional()
      .meta({ description: 'What became of the last test that has ended.' }),
  })
  .meta({ id: 'Watch' });

const created = z
  .strictObject({
    id: idSchema,
    secret: z.string().optional().meta({ description: 'Of a webhook, shown only now: `whsec_…` (Standard Webhooks).' }),
  })
  .meta({ id: 'CreatedWatch' });

export const one = z.strictObject({ id: idSchema });
export const none = z.strictObject({});
export const ofUser = z.strictObject({ user: idSchema });

const common = { scope: 'admin', tag: 'watches' } as const;

/** What is documented does not depend on the site. */
const DOCUMENTED = watchBodiesOf({ relations: [] });

export const OPERATIONS = {
  create: {
    ...common,
    id: 'createWatch',
    method: 'post',
    path: '/v1/watches',
    summary: 'Has somebody told of what is new to a user',
    description: 'Notifications are delivered by `recency notify`. What is there already is not news.',
    query: none,
    body: DOCUMENTED.created,
    replies: { 201: { description: 'The watch exists.', schema: created } },
    problems: [409],
  },
  list: {
    ...common,
    id: 'listWatches',
    method: 'get',
    path: '/v1/watches',
    summary: "A user's watches",
    query: ofUser,
    replies: {
      200: {
        description: 'All of them.',
        schema: z.strictObject({ watches: z.array(watchSchema) }).meta({ id: 'Watches' }),
      },
    },
  },
  show: {
    ...common,
    id: 'getWatch',
    method: 'get',
    path: '/v1/watches/{id}',
    summary: 'One watch',
    params: one,
    query: none,
    replies: { 200: { description: 'Without its secrets.', schema: watchSchema } },
    problems: [404],
  },
  change: {
    ...common,
    id: 'changeWatch',
    method: 'patch',
    path: '/v1/watches/{id}',
    summary: 'Changes a watch',
    description:
      'With another relation, and for kinds that are added, what is there at that moment is not news. What was new before is.',
    params: one,
    query: none,
    body: DOCUMENTED.changed,
    replies: { 200: { description: 'It is changed.', schema: created } },
    problems: [404, 409],
  },
  remove: {
    ...common,
    id: 'deleteWatch',
    method: 'delete',
    path: '/v1/watches/{id}',
    summary: 'Ends a watch and removes it',
    params: one,
    query: none,
    replies: { 204: { description: 'There is no such watch, any more.' } },
  },
  test: {
    ...common,
    id: 'testWatch',
    method: 'post',
    path: '/v1/watches/{id}/test',
    summary: 'Has a test delivered',
    description:
      'A notification of the type `recency.test`, without sources. It is not tried again if it fails; `last_test` of the watch says what became of it.',
    params: one,
    query: none,
    replies: {
      202: {
        description: 'It is delivered soon.',
        schema: z.strictObject({ notification: z.string() }).meta({ id: 'WatchTest' }),
      },
    },
    problems: [404, 409],
  },
} as const satisfies Record<string, HttpOperation>;

export function viewOf(watch: Watch): z.output<typeof watchSchema> {
  const { id, user, kinds, channel, url, relation, muted, intervalMs, ended, outgoing, notifiedAt, tested } = watch;
  return {
    id,
    user,
    kinds: [...kinds],
    channel,
    ...(url === undefined ? {} : { url }),
    relation,
    muted: [...muted],
    interval_ms: intervalMs,
    state: stateOf(watch),
    ...(ended === undefined ? {} : { ended }),
    ...(outgoing === undefined ? {} : { attempts: outgoing.attempts }),
    ...(notifiedAt === undefined ? {} : { notified_at: isoTime(notifiedAt) }),
    ...(tested === undefined ? {} : { last_test: { ...tested, delivered: tested.why === undefined } }),
  };
}

function stateOf({ ended, outgoing }: Watch): 'waiting' | 'delivering' | 'retrying' | 'ended' {
  if (ended !== undefined) return 'ended';
  if (outgoing === undefined) return 'waiting';
  return outgoing.attempts === 0 ? 'delivering' : 'retrying';
}
