/** The routes about a user's indexes: as they are, rebuilt, dropped. */
import { z } from 'zod';
import { floorSchema, isoTime, timeSchema } from '../../contracts/http.ts';
import { type Id, idSchema } from '../../contracts/id.ts';
import type { Kind } from '../../contracts/kind.ts';
import { ENDLESS } from '../../index/allowance.ts';
import type { IndexInspection } from '../../query/inspect-index.ts';
import type { KindIndexes } from '../dependencies.ts';
import { HttpProblem, unavailableProblem } from '../http-problem.ts';
import { parse } from '../parse.ts';
import { json, noContent } from '../reply.ts';
import { capitalized, type HttpOperation, problemsWhereUnused, type Route, whereInUse } from '../route.ts';
import { floorView } from '../views.ts';

const DAY_MS = 24 * 3_600_000;

const INDEX_STATES = ['warm', 'cold', 'small', 'building', 'torn', 'wrong_type'] as const;

export const stateSchema = z.enum(INDEX_STATES).meta({
  id: 'IndexState',
  description:
    'Readers treat every state but warm as cold, and also a warm index of another epoch. small: cold, and no index is kept, because the user has few contacts or none (`RECENCY_INDEX_ABOVE`).',
});

const indexSchema = z
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
    changes_left: z.int().nonnegative().nullable().meta({
      description:
        'So many changes are applied to the index before it is read again; one more drops it. null: there is no intact index, or no change drops it.',
    }),
  })
  .meta({ id: 'Index' });

/** One index in JSON, for the API and the command line. */
export function indexView(found: IndexInspection): z.input<typeof indexSchema> {
  const { user, state, epochCurrent, size, complete, floor, members, lastUsed, allowance } = found;
  return {
    user,
    state,
    epoch_current: epochCurrent ?? null,
    size,
    complete,
    floor: floorView(floor),
    members: members.map(({ id, at }) => ({ id, last_upload_at: isoTime(at) })),
    last_used_on: lastUsed === undefined ? null : isoTime(lastUsed * DAY_MS).slice(0, 'YYYY-MM-DD'.length),
    changes_left: allowance === undefined || allowance.left === ENDLESS ? null : allowance.left,
  };
}

const params = z.strictObject({ user: idSchema });
const query = z.strictObject({});

const NO_USE = 'Does not count as use, so it does not keep the index from being dropped as idle.';

const inspecting = {
  method: 'get',
  scope: 'admin',
  tag: 'indexes',
  params,
  query,
  replies: { 200: { description: 'The index; its state says if there is none.', schema: indexSchema } },
} as const;

function inspectionOf(kind: Kind): HttpOperation {
  const { name } = kind;
  return {
    ...inspecting,
    id: `inspect${capitalized(name)}Index`,
    path: `/v1/users/{user}/${name}/index`,
    summary: `A user's index of ${name} as it is`,
    description: `${NO_USE}${whereInUse(kind)}`,
    ...problemsWhereUnused(kind),
  };
}

const inspectionOfContacts: HttpOperation = {
  ...inspecting,
  id: 'inspectIndex',
  path: '/v1/users/{user}/index',
  summary: "A user's index of contacts as it is",
  description: `The same as \`…/contacts/index\`. ${NO_USE}`,
};

/** @param inspect undefined: the kind is not in use */
export function inspectIndexRoute(kind: Kind, inspect: KindIndexes['inspect'] | undefined): Route {
  return inspectionRoute(inspectionOf(kind), inspect);
}

/** The route from before there were kinds. @param inspect undefined: contacts are not in use */
export function inspectContactsRoute(inspect: KindIndexes['inspect'] | undefined): Route {
  return inspectionRoute(inspectionOfContacts, inspect);
}

function inspectionRoute(operation: HttpOperation, inspect: KindIndexes['inspect'] | undefined): Route {
  return {
    operation,
    handle: async (request, deadline) => {
      if (inspect === undefined) throw new HttpProblem('not_found');
      const { user } = parse('path', params, request.params);
      parse('query', query, request.query);
      return json(200, indexView(await inspect(user, deadline)));
    },
  };
}

const rebuilding = {
  method: 'post',
  scope: 'admin',
  tag: 'indexes',
  params,
  query,
  replies: {
    200: {
      description: 'The index after the rebuild; cold if MySQL has nothing for the user.',
      schema: indexSchema,
    },
  },
} as const;

function rebuildOf(kind: Kind): HttpOperation {
  const { name } = kind;
  const { problems = [] } = problemsWhereUnused(kind);
  return {
    ...rebuilding,
    id: `rebuild${capitalized(name)}Index`,
    path: `/v1/users/{user}/${name}/index/rebuild`,
    summary: `Rebuilds a user's index of ${name} from MySQL`,
    description: `The user's other indexes stay as they are.${whereInUse(kind)}`,
    problems: [...problems, 409],
  };
}

const rebuildOfContacts: HttpOperation = {
  ...rebuilding,
  id: 'rebuildIndex',
  path: '/v1/users/{user}/index/rebuild',
  summary: "Rebuilds a user's index of contacts from MySQL",
  description: 'The same as `…/contacts/index/rebuild`.',
  problems: [409],
};

/** @param indexes undefined: the kind is not in use */
export function rebuildIndexRoute(kind: Kind, indexes: KindIndexes | undefined): Route {
  return rebuildRoute(rebuildOf(kind), indexes);
}

/** The route from before there were kinds. @param indexes undefined: contacts are not in use */
export function rebuildContactsRoute(indexes: KindIndexes | undefined): Route {
  return rebuildRoute(rebuildOfContacts, indexes);
}

function rebuildRoute(operation: HttpOperation, indexes: KindIndexes | undefined): Route {
  return {
    operation,
    handle: async (request, deadline) => {
      if (indexes === undefined) throw new HttpProblem('not_found');
      const { user } = parse('path', params, request.params);
      parse('query', query, request.query);
      const { obstructed, unsettled, forgotten, suspended, slow } = await indexes.rebuild(user, deadline);
      if (obstructed.length > 0) throw new HttpProblem('key_in_the_way');
      if (suspended.length > 0) throw unavailableProblem('epoch_suspended');
      if (slow.length > 0) throw unavailableProblem('index_slow');
      if (unsettled.length > 0 || forgotten.length > 0) throw unavailableProblem('contended');
      return json(200, indexView(await indexes.inspect(user, deadline)));
    },
  };
}

const forgetting: HttpOperation = {
  id: 'forgetIndex',
  method: 'delete',
  path: '/v1/users/{user}/index',
  scope: 'admin',
  tag: 'indexes',
  summary: "Drops a user's indexes of every kind, and pending work",
  description:
    "Nothing else is erased: the user's rows in MySQL, from which a later read builds an index again (a build requested earlier does not), watches, what was seen, tasks and dead letters. For a request of erasure there is `recency forget`.",
  params,
  query,
  replies: { 204: { description: 'The user has no index and no pending work.' } },
};

export function forgetIndexRoute(forget: (user: Id) => Promise<void>): Route {
  return {
    operation: forgetting,
    handle: async (request) => {
      const { user } = parse('path', params, request.params);
      parse('query', query, request.query);
      await forget(user);
      return noContent();
    },
  };
}
