/**
 * Every statement that questions about a kind send, in every form that it can have: the safety net under the code that writes
 * them. The texts are kept in test/mysql/golden, one file a statement.
 */
import { createHash } from 'node:crypto';
import { KINDS, type Kind } from '../../src/contracts/kind.ts';
import { Database } from '../../src/mysql/database.ts';
import { claimRechecks, deleteRechecks, insertRechecks, readRechecksOf } from '../../src/mysql/rechecks.ts';
import { readAllContacts } from '../../src/mysql/statements/all-contacts.ts';
import { readCandidates, readCandidatesOfMany } from '../../src/mysql/statements/candidates.ts';
import { AUDIENCES, comparePairs, readNewestOf } from '../../src/mysql/statements/compared-pairs.ts';
import { readExplainedContact } from '../../src/mysql/statements/explained-contact.ts';
import {
  readFollowerAt,
  readFollowers,
  readFollowersIn,
  readWatchedFollowers,
} from '../../src/mysql/statements/followers.ts';
import { type KindDatabase, KindStatements } from '../../src/mysql/statements/kind-statements.ts';
import {
  isAnyPhoto,
  readAnyPairs,
  readContactsFrom,
  readNeighbours,
  readPairs,
} from '../../src/mysql/statements/pairs.ts';
import { readPhotos } from '../../src/mysql/statements/photos.ts';
import { readPlain } from '../../src/mysql/statements/plain-contacts.ts';
import { readSourcePhotos } from '../../src/mysql/statements/source-photos.ts';
import { readTopContacts } from '../../src/mysql/statements/top-contacts.ts';
import {
  countRows,
  countUsersAhead,
  estimateRelationships,
  estimateRelationshipsOfEach,
  readLastUser,
  readNextUser,
  readNextUsers,
  readUsersAmong,
} from '../../src/mysql/statements/users.ts';
import { readWholeList, readWholeLists } from '../../src/mysql/statements/whole-lists.ts';
import { findPlanProblems } from '../../src/mysql/view-checks.ts';
import { type Site, siteOf } from '../../src/site/site.ts';

/** What decides the text of a statement. */
export interface Form {
  readonly kind: Kind;
  readonly ids: 'shared' | 'separate';
  readonly uploads: 'column' | 'photos';
  readonly seen: boolean;
  readonly since: boolean;
  /** Bits have names, and the views have columns to pass on. */
  readonly named: boolean;
  /** As in the statements about few rows. */
  readonly audiences: number;
}

/** Words that say which form it is. */
function nameOf({ kind, ids, uploads, seen, since, named, audiences }: Form): string {
  const words = [kind.name, ids, uploads === 'photos' && audiences > 1 ? `photos of ${audiences} audiences` : uploads];
  if (seen) words.push('cursors');
  if (!since) words.push('no since');
  if (named) words.push('named bits, extra columns');
  return words.join(' · ');
}

const EITHER = [false, true] as const;

/** All of it together, except what decides only a part of the text. */
const WHOLE: readonly Form[] = KINDS.flatMap((kind) =>
  (['shared', 'separate'] as const).flatMap((ids) =>
    (['column', 'photos'] as const).flatMap((uploads) =>
      EITHER.flatMap((seen) => EITHER.map((named) => ({ kind, ids, uploads, seen, named, since: true, audiences: 1 }))),
    ),
  ),
);

const FORMS: readonly Form[] = [
  ...WHOLE,
  ...WHOLE.filter(({ ids, named }) => ids === 'shared' && !named).map((form) => ({ ...form, since: false })),
  ...[2, 4, 63].flatMap((audiences) =>
    WHOLE.filter(({ uploads, named }) => uploads === 'photos' && !named).map((form) => ({ ...form, audiences })),
  ),
];

/** The user asks, the contact is asked about. */
const [USER, CONTACT] = ['7', '8'];

const ALL_AUDIENCES = String(2n ** 63n - 1n);

/** Of each number of branches that a statement has. */
const SEES = { 4: '15', 16: '65535', 64: ALL_AUDIENCES } as const;

/** Remembers the texts that a server would get. */
class Recorder extends Database {
  readonly texts: string[] = [];

  constructor() {
    super('mysql://nobody@127.0.0.1:1/none', { connections: 1, queue: 1, deadlineMs: 1_000 });
  }

  override async rows(statement: string): Promise<readonly (readonly null[])[]> {
    this.texts.push(statement);
    throw new Sent();
  }

  override async write(statement: string): Promise<never> {
    this.texts.push(statement);
    throw new Sent();
  }

  override async transaction<T>(work: (connection: never) => Promise<T>): Promise<T> {
    const execute = async (statement: string | { readonly sql: string }) => {
      this.texts.push(typeof statement === 'string' ? statement : statement.sql);
      return [[['1', USER, CONTACT, '1', 1]]];
    };
    return await work({ execute, query: execute } as never);
  }
}

/** The text has been recorded: there are no rows. */
class Sent extends Error {}

/** Answers the first statement with a row, so that the next one follows. */
class Claiming extends Recorder {
  override async rows(statement: string): Promise<readonly (readonly null[])[]> {
    this.texts.push(statement);
    return [[1, null] as unknown as null[]];
  }
}

/** Answers the first statement that a text is recorded for, so that the plans of the questions are asked for. */
class Planned extends Recorder {
  override async rows(statement: string): Promise<readonly (readonly null[])[]> {
    this.texts.push(statement);
    return [];
  }
}

type Ask = (database: KindDatabase) => Promise<unknown>;

const page = { user: USER, relation: 'any', limit: 10, below: undefined } as const;
const BELOW = { at: 5, id: '9' };
const PAIR = { user: USER, contact: CONTACT };

/** By name, what is asked. Where a relation is named, only contacts have it. */
function questionsOf(kind: Kind, { named }: Form): Record<string, Ask> {
  const { hasRelations } = kind;
  const relations = ['any', ...(hasRelations ? ['friends', 'family', 'friends_or_family'] : [])];
  if (hasRelations && named) relations.push('bell');
  const plain = (more: object): Ask => {
    return (database) => readPlain(database, { ...page, ...more });
  };
  return {
    'all-contacts': (database) => readAllContacts(database, USER),
    'candidates-of-one': (database) => readCandidates(database, USER, [CONTACT]),
    'candidates-of-many': (database) => readCandidatesOfMany(database, [{ user: USER, candidates: [CONTACT] }]),
    'whole-list-of-one': (database) => readWholeList(database, USER, 64),
    'whole-list-of-many': (database) => readWholeLists(database, [USER], 64),
    'explained-contact': (database) => readExplainedContact(database, USER, CONTACT),
    ...Object.fromEntries(relations.map((relation) => [`plain-${relation}`, plain({ relation })])),
    'plain-below': plain({ below: BELOW }),
    'plain-since': plain({ since: 3 }),
    'plain-since-below': plain({ since: 3, below: BELOW }),
    'plain-unseen': plain({ unseen: true }),
    'plain-unseen-since-below': plain({ unseen: true, since: 3, below: BELOW }),
    ...Object.fromEntries(
      [4, 16, 80].map((size) => [
        `photos-${size}`,
        (database: KindDatabase) =>
          readPhotos(
            database,
            USER,
            Array<{ id: string; sees: string }>(size / 4).fill({ id: CONTACT, sees: '15' }),
            3,
          ),
      ]),
    ),
    ...Object.fromEntries(
      (['oldest first', 'newest first'] as const).flatMap((order) =>
        Object.entries(SEES).map(([size, sees]): [string, Ask] => [
          `source-photos-${order.replace(' ', '-')}-${size}`,
          (database) =>
            readSourcePhotos(database, { user: USER, source: CONTACT }, sees, {
              ...{ order, above: undefined, below: undefined, limit: 10 },
            }),
        ]),
      ),
    ),
    pairs: (database) => readPairs(database, [PAIR]),
    neighbours: (database) => readNeighbours(database, [PAIR]),
    followers: (database) => readFollowers(database, { owner: CONTACT, after: '0' }, 10),
    'followers-of-several': (database) =>
      readFollowersIn(
        database,
        [
          { owner: CONTACT, after: '0' },
          { owner: USER, after: '0' },
        ],
        10,
      ),
    'followers-through': (database) => readFollowers(database, { owner: CONTACT, after: '0', through: '9' }, 10),
    'follower-at': (database) => readFollowerAt(database, { owner: CONTACT, after: '0' }, 10),
    'watched-followers': (database) => readWatchedFollowers(database, CONTACT, 10),
    'top-of-one': (database) => readTopContacts(database, [USER], 10),
    'top-of-many': (database) => readTopContacts(database, [USER, CONTACT], 10),
    'rows-of-each': (database) => countRows(database, [USER]),
    'users-among': (database) => readUsersAmong(database, [USER]),
    'users-next': (database) => readNextUsers(database, { after: '0', to: '9' }, 10),
    'user-next': (database) => readNextUser(database, { after: '0', to: '9' }),
    'user-last': (database) => readLastUser(database, { after: '0', to: '9' }),
    'users-ahead': (database) => countUsersAhead(database, { after: '0', to: '9' }, 10),
    'estimate-all': (database) => estimateRelationships(database, { after: '0', to: '18446744073709551615' }),
    'estimate-each': (database) => estimateRelationshipsOfEach(database),
    'estimate-range': (database) => estimateRelationships(database, { after: '3', to: '9' }),
    ...Object.fromEntries(
      AUDIENCES.flatMap((size): [string, Ask][] => [
        [`newest-of-${size}`, (database) => readNewestOf(database, [CONTACT], size)],
        [`compared-pairs-${size}`, (database) => comparePairs(database, [PAIR], size)],
      ]),
    ),
    'contacts-from': (database) => readContactsFrom(database, USER, '0', 10),
    'any-pairs': (database) => readAnyPairs(database, 10),
    'any-photo': (database) => isAnyPhoto(database),
    'rechecks-insert': ({ server }) => insertRechecks(server, kind, [{ ...PAIR, version: '1' }], 1, 10),
    'rechecks-delete': ({ server }) => deleteRechecks(server, [{ ...PAIR, version: '1', attempt: 1, id: '1' }]),
    'rechecks-all': ({ server }) => readRechecksOf(server, kind, undefined),
    'rechecks-of-users': ({ server }) => readRechecksOf(server, kind, [USER]),
  };
}

const EXTRA = {
  source: [{ column: 'extra_avatar', name: 'avatar', form: 'text' }],
  photo: [{ column: 'extra_thumb', name: 'thumb', form: 'text' }],
} as const;

const NONE = { source: [], photo: [] };

function siteIn({ ids, named }: Form): Site {
  const separateIds = ids === 'separate' ? 'true' : 'false';
  return siteOf({ kinds: ['contacts', 'groups'], separateIds, relations: named ? ['bell:3'] : [] });
}

function kindIn(form: Form): Kind {
  return siteIn(form).kinds.find(({ name }) => name === form.kind.name) ?? form.kind;
}

async function textsOf(form: Form, recorder: Recorder, ask: Ask): Promise<string[]> {
  const { uploads, seen, since, named, audiences } = form;
  const statements = new KindStatements(siteIn(form), kindIn(form));
  statements.learn({ cursors: seen, since, lastUpload: uploads === 'column', audiences, extra: named ? EXTRA : NONE });
  try {
    await ask({ server: recorder, statements });
  } catch (error) {
    if (!(error instanceof Sent)) throw error;
  } finally {
    await recorder.close();
  }
  return recorder.texts;
}

/** By the name of a statement, its texts, each with the forms that have it. */
export type SentStatements = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

/** Every text that is sent about a kind. */
export async function sentStatements(): Promise<SentStatements> {
  const sent = new Map<string, Map<string, string[]>>();
  const keep = (name: string, form: Form, texts: readonly string[]) => {
    const ofName = sent.get(name) ?? new Map<string, string[]>();
    sent.set(name, ofName);
    const text = kept(name, form, texts.join('\n;\n'));
    ofName.set(text, [...(ofName.get(text) ?? []), nameOf(form)]);
  };
  for (const form of FORMS) {
    const kind = kindIn(form);
    for (const [name, ask] of Object.entries(questionsOf(kind, form)))
      keep(name, form, await textsOf(form, new Recorder(), ask));
    const claim: Ask = ({ server }) => claimRechecks(server, kind, 10, 10);
    keep('rechecks-claim', form, await textsOf(form, new Claiming(), claim));
    const plans: Ask = (database) => findPlanProblems([database]);
    if (form.kind.name === 'contacts' || form.ids === 'shared')
      keep('plans', form, await textsOf(form, new Planned(), plans));
  }
  return sent;
}

/** Whole texts of the forms that a reader compares; a digest of the others, and of the longer of statements in several sizes. */
function kept(name: string, { ids, named, since, audiences, uploads, seen }: Form, text: string): string {
  const [, size = '4'] = /-(\d+)$/.exec(name) ?? [];
  const isUsual = ids === 'shared' && since && audiences === 1 && (!named || (uploads === 'photos' && seen));
  if (isUsual && size === '4') return text;
  return `sha256 ${createHash('sha256').update(oneLine(text)).digest('hex')}`;
}

/** The text without its line breaks and indentation: they may differ. */
export function oneLine(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?<=\() | (?=\))/g, '')
    .trim();
}

/** A file of texts, each below the forms that have it. */
export function goldenText(texts: ReadonlyMap<string, readonly string[]>): string {
  const parts = Array.from(texts, ([text, forms]) => [...forms.map((form) => `-- ${form}`), text.trimEnd(), '']);
  return parts.map((lines) => lines.join('\n')).join('\n');
}
