/** Checks of what the rows of a site's views say: pairs, times, audiences, and how long the plain query takes. */
import { counting, fine, problem, type Verdict, warning } from '../health/finding.ts';
import { DatabaseUnavailable } from '../mysql/database.ts';
import { mysqlFaultOf } from '../mysql/faults.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import { type Pair, readAnyPairs } from '../mysql/statements/pairs.ts';
import {
  countRepeated,
  explainContacts,
  findUnguarded,
  sampleAudiences,
  sampleTimes,
  timeContacts,
} from '../mysql/view-samples.ts';

/** Rows of a view that are compared with each other. */
const PAIRS = 10_000;

const EXAMPLES = 3;

const WHOLE = /^-?[0-9]+$/;

const ONCE =
  'Each pair must have one row: a join multiplies them. It counts as one contact, by the row with the latest upload.';

/** Each pair must be there once, by its rows and by the keys of the tables, and its ids begin at 1. */
export async function pairsVerdict(database: KindDatabase): Promise<Verdict> {
  const { view, idColumn } = database.statements.kind;
  const pairs = await readAnyPairs(database, PAIRS);
  const textOf = ({ user, contact }: Pair) => `user ${user}, ${idColumn} ${contact}`;
  const found = (some: readonly Pair[], what: string) =>
    `of ${pairs.length} rows of ${view}, ${some.length} ${what}: ${some.slice(0, EXAMPLES).map(textOf).join('; ')}`;
  const alike = [...Map.groupBy(pairs, textOf).values()];
  const twice = alike.filter(({ length }) => length > 1).map(([pair]) => pair as Pair);
  if (twice.length > 0) return problem(found(twice, 'pairs are there several times'), ONCE);
  const broken = pairs.filter(({ user, contact }) => !WHOLE.test(user) || !WHOLE.test(contact));
  if (broken.length > 0) {
    const fix = 'Leave such rows out of the view, and give it columns of whole numbers.';
    return problem(found(broken, 'have an id that is not a whole number'), fix);
  }
  const ignored = pairs.filter(({ contact }) => BigInt(contact) < 1n);
  if (ignored.length > 0) {
    return warning(found(ignored, 'have an id below 1, and are ignored'), 'Leave such rows out of the view.');
  }
  return await guardedVerdict(database, pairs);
}

async function guardedVerdict(database: KindDatabase, pairs: readonly Pair[]): Promise<Verdict> {
  const { view } = database.statements.kind;
  const [pair] = pairs;
  const unguarded = pair && (await findUnguarded(database, pair));
  const once = `${pairs.length} rows of ${view}: each pair once`;
  if (unguarded === undefined || unguarded.length === 0) return fine(once);
  const repeated = await countRepeated(database);
  if (repeated !== undefined && repeated > 0) {
    return problem(`${repeated === 100 ? 'at least 100' : repeated} pairs of ${view} are there several times`, ONCE);
  }
  const counted =
    repeated === undefined ? `${once}; counting all takes too long` : `each pair of ${view} is there once now`;
  return warning(
    `${counted}, but no unique key says so: a pair may find several rows of ${unguarded.join(', ')}`,
    'Can the site write two such rows? Then join a table in which they are one, or give the table a unique key, if the site never breaks it. ' +
      '`recency verify` counts pairs that are there several times. Two columns of different types or collations have no common key either.',
  );
}

/** Between these are times in seconds from 2001 to 5138, and times in ms of the early 1970s alone; above are no times in ms before 5138. */
const [LEAST_SECONDS, LEAST_MS, GREATEST_MS] = [1_000_000_000, 100_000_000_000, 100_000_000_000_000];

const HOUR_MS = 3_600_000;

/** Are times in ms, and in UTC? */
export async function timesVerdict(database: KindDatabase): Promise<Verdict> {
  const { photosView } = database.statements.kind;
  const { rows, withoutTime, future, least, greatest, now } = await sampleTimes(database);
  if (least === undefined || greatest === undefined) {
    return rows === 0
      ? fine('there is no photo yet')
      : problem(`none of ${rows} rows of ${photosView} has a time`, 'Give uploaded_at a value.');
  }
  const about = `uploaded_at of ${rows} rows of ${photosView}`;
  if (greatest >= LEAST_SECONDS && greatest < LEAST_MS) {
    return problem(
      `${about} is at most ${greatest}, which looks like seconds`,
      'Multiply it by 1000: milliseconds since 1970 UTC.',
    );
  }
  if (greatest > GREATEST_MS) {
    return problem(
      `${about} is up to ${greatest}, which looks like microseconds`,
      'Divide it by 1000 (DIV): milliseconds since 1970 UTC.',
    );
  }
  if (future > 0) {
    const hours = ((greatest - now) / HOUR_MS).toFixed(1);
    return warning(
      `${about} is in the future for ${future} of them, by up to ${hours} hours: are these local times?`,
      'uploaded_at must be UTC (docs/adopting.md, “Times as DATETIME”). Such photos are first in every answer until then.',
    );
  }
  const age = `the newest is ${((now - greatest) / HOUR_MS).toFixed(1)} hours old`;
  if (withoutTime === 0) return fine(`${about}: milliseconds; ${age}`);
  return warning(
    `${about}: ${withoutTime} have no time, and are not shown; ${age}`,
    'Leave such rows out of the view, or give them a time.',
  );
}

/** What only the owner sees, as in the reference schema. */
const OWNER = '4';

/** Is there an audience that no pair sees? */
export async function audiencesVerdict(database: KindDatabase): Promise<Verdict> {
  const { view, photosView } = database.statements.kind;
  const { photos, seen } = await sampleAudiences(database);
  const isSeen = (audience: string) => /^([0-9]|[1-5][0-9]|6[0-2])$/.test(audience) && (seen >> BigInt(audience)) & 1n;
  const text = ([audience, count]: readonly [string, number]) => `${audience} (${counting(count, 'photo')})`;
  const unseen = [...photos].filter(([audience]) => audience !== OWNER && !isSeen(audience));
  if (unseen.length === 0) {
    const all = [...photos].map((one) => `${text(one)}${isSeen(one[0]) ? '' : ', for the owner alone'}`);
    return fine(all.length === 0 ? 'there is no photo yet' : `audiences ${all.join(', ')}`);
  }
  return warning(
    `nobody sees audience ${unseen.map(text).join(', ')}: no sees of ${view} that was read has such a bit`,
    `Audiences of ${photosView} are numbers from 0 to 62, each a bit of sees for those who may see it; ${OWNER} is for the owner alone.`,
  );
}

/** Above this a plain query is slow, and above that doctor does not wait for it, ms. */
const [SLOW_MS, LIMIT_MS] = [1_000, 4_000];

/** How long does the plain query about a user take, and why? */
export async function speedVerdict(database: KindDatabase): Promise<Verdict> {
  const { view, photosView } = database.statements.kind;
  const [pair] = (await orSlow(readAnyPairs(database, 1))) ?? [{ user: '1' }];
  if (pair === undefined) return fine('there is no pair yet');
  const about = `all of user ${pair.user} (${view}, ${photosView})`;
  const ms = await orSlow(timeContacts(database, pair.user, LIMIT_MS));
  if (ms !== undefined && ms < SLOW_MS) return fine(`${about}: ${ms.toFixed(0)} ms`);
  const took = ms === undefined ? `no answer within ${LIMIT_MS} ms` : `${ms.toFixed(0)} ms`;
  return problem(
    `${about}: ${took}. MySQL reads ${await explainContacts(database, pair.user)}`,
    'Does a view read more than it did, or lack an index (`indexes`)? Statistics may be old: ANALYZE TABLE. A lock may also hold it up.',
  );
}

/** @returns undefined: no answer came in time */
async function orSlow<T>(reading: Promise<T>): Promise<T | undefined> {
  return await reading.catch((error: unknown) => {
    if (error instanceof DatabaseUnavailable && mysqlFaultOf(error) === 'slow') return undefined;
    throw error;
  });
}
