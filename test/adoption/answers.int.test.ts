/** A site adopted with what `recency init` and `recency triggers` propose, and the engineer's edits: are its answers those of plain SQL? */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { byKeyDescending, type Key } from '../../src/contracts/key.ts';
import { EVERYBODY } from '../../src/index/drain-barrier.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { type Consuming, startConsuming } from '../support/consuming.ts';
import { runInProcess } from '../support/in-process.ts';
import { closeAtEnd, freshPrefix, redisUrl, sql } from '../support/servers.ts';
import { freshRedis, recentContactsOn, type Stores, storesOn } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { type AdoptedSite, adopted, SITES } from './adopted-site.ts';
import { BUDDYPRESS, ELGG, HUMHUB, OSSN } from './shape-scripts.ts';
import { EDITS } from './site-edits.ts';
import { type Draw, FRIENDICA, MASTODON, PIXELFED, type SiteScript } from './site-scripts.ts';

const SCRIPTS: Readonly<Record<(typeof SITES)[number], SiteScript>> = {
  ...{ pixelfed: PIXELFED, mastodon: MASTODON, friendica: FRIENDICA },
  ...{ humhub: HUMHUB, buddypress: BUDDYPRESS, elgg: ELGG, ossn: OSSN },
};

/** Edits of the files that `recency init` wrote, at most. */
const MOST_EDITS = 10;

const LIMITS = { max: 6, min: 3 };
const ROUNDS = 4;
const WRITES = 60;

/** The same numbers in every run (a linear congruential generator: Numerical Recipes, 2nd edition, §7.1). */
function draws(seed: number): Draw {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

interface RunningSite {
  readonly name: (typeof SITES)[number];
  readonly site: AdoptedSite;
  readonly settings: Readonly<Record<string, string>>;
  readonly connection: Connection;
  readonly stores: Stores;
  readonly consuming: Consuming;
}

async function triggersOf({ url, mapping }: AdoptedSite, ...flags: string[]): Promise<string[]> {
  const { code, json } = await runInProcess(['triggers', '--json', '--mapping', mapping, ...flags], { MYSQL_URL: url });
  expect(code).toBe(0);
  return (json() as { statements: string[] }[])[0]?.statements ?? [];
}

async function start(name: (typeof SITES)[number]): Promise<RunningSite> {
  const site = await adopted(name);
  const prefix = freshPrefix();
  const settings = { MYSQL_URL: site.url, REDIS_URL: redisUrl(), KEY_PREFIX: prefix, INDEX_ABOVE: '0' };
  expect(await runInProcess(['migrate', '--views-only'], settings)).toMatchObject({ code: 0 });
  await sql(site.url, ...(await triggersOf(site)));
  const connection = await createConnection(site.url);
  closeAtEnd(() => connection.end());
  for (const statement of SCRIPTS[name].more) await connection.query(statement);
  const place = { url: site.url, prefix, primary: site.database, redis: await freshRedis() };
  const stores = storesOn(place, LIMITS);
  return { name, site, settings, connection, stores, consuming: await startConsuming(stores) };
}

/** As the reads of a site do it: a task about a user drops the index. */
async function buildCold({ index, steps }: Stores, users: readonly Id[]): Promise<void> {
  const states = await Promise.all(users.map((user) => index.read(user, 0, false)));
  await run(rebuild(users.filter((_, place) => states[place]?.state !== 'warm')), steps);
}

/** Waits until every task that exists has been processed. */
async function settled({ consuming }: RunningSite): Promise<void> {
  const barrier = await consuming.raiseBarrier([EVERYBODY]);
  await until(() => barrier.passed());
}

/** By plain SQL over the site's own tables. */
async function expected({ name, connection }: RunningSite, user: Id): Promise<Key[]> {
  const { answer } = SCRIPTS[name];
  const places = answer.split('?').length - 1;
  const [rows] = await connection.query<RowDataPacket[]>(answer, Array(places).fill(user));
  return rows.map(({ id, at }) => ({ id: String(id), at: Number(at) })).sort(byKeyDescending);
}

/** Users whose answer, or whose index, is not what plain SQL says. */
async function wrongUsers(running: RunningSite): Promise<{ wrong: string[]; fromIndex: number; contacts: number }> {
  const { stores, name } = running;
  const recent = recentContactsOn(stores, LIMITS);
  const wrong: string[] = [];
  let [fromIndex, contacts] = [0, 0];
  for (const user of SCRIPTS[name].users.map(String)) {
    const all = await expected(running, user);
    contacts += all.length;
    for (const limit of [3, 100]) {
      const answer = await recent.find({ user, relation: 'any', below: undefined, limit });
      const got = answer.contacts.map(({ id, at }) => ({ id, at }));
      if (answer.source === 'index') fromIndex += 1;
      if (!sameKeys(got, all.slice(0, limit))) wrong.push(`answer of ${user}, ${limit}`);
    }
    const reading = await stores.index.read(user, 0, false);
    if (reading.state === 'warm' && !sameKeys(reading.head, all.slice(0, reading.head.length))) {
      wrong.push(`index of ${user}`);
    }
  }
  return { wrong, fromIndex, contacts };
}

const sameKeys = (a: readonly Key[], b: readonly Key[]) =>
  a.length === b.length && a.every(({ id, at }, place) => id === b[place]?.id && at === b[place]?.at);

/** By the site's own SQL, in the file that an engineer writes for it. */
async function checkedByTheSite({ name, settings }: RunningSite) {
  const folder = mkdtempSync(join(tmpdir(), 'recency-check-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'page.sql');
  writeFileSync(file, `-- the page\n${SCRIPTS[name].answer.replaceAll('?', ':user')};\n`);
  return await runInProcess(['init', '--check', file, '--json'], settings);
}

describe.each(SITES)('a site like %s, adopted with at most 10 edits', (name) => {
  it('gives the answers of plain SQL after bulk and multi-table writes; without its triggers it would not', async () => {
    const running = await start(name);
    const { write, users } = SCRIPTS[name];
    const draw = draws(20_261_125);
    const ids = users.map(String);
    const round = async () => {
      await buildCold(running.stores, ids);
      for (let n = 0; n < WRITES; n += 1) await running.connection.query(write(draw));
      await settled(running);
    };
    const seen = { fromIndex: 0, contacts: 0 };
    for (let n = 0; n < ROUNDS; n += 1) {
      await round();
      const { wrong, fromIndex, contacts } = await wrongUsers(running);
      expect(wrong).toEqual([]);
      seen.fromIndex += fromIndex;
      seen.contacts += contacts;
    }
    expect(seen.fromIndex).toBeGreaterThanOrEqual(users.length);
    expect(seen.contacts).toBeGreaterThan(2 * users.length);

    expect(EDITS[name].length).toBeLessThanOrEqual(MOST_EDITS);
    for (const statement of SCRIPTS[name].truncate) await running.connection.query(statement);
    expect(await runInProcess(['epoch', 'bump', '--why', 'TRUNCATE'], running.settings)).toMatchObject({ code: 0 });
    await round();
    expect((await wrongUsers(running)).wrong).toEqual([]);
    expect(await checkedByTheSite(running)).toMatchObject({ code: 0 });
    const verified = await runInProcess(['verify', '--users', 'all', '--json'], running.settings);
    expect(verified.stderr).toBe('');
    expect(verified.json()).toMatchObject([{ wrong: 0, unsettled: 0, answers_wrong: 0 }]);
    expect(verified.code).toBe(0);

    await sql(running.site.url, ...(await triggersOf(running.site, '--drop')));
    let missed = 0;
    for (let n = 0; n < ROUNDS && missed === 0; n += 1) {
      await round();
      missed = (await wrongUsers(running)).wrong.length;
    }
    expect(missed).toBeGreaterThan(0);
  });
});
