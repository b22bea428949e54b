import { pino } from 'pino';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openColdUsers } from '../../src/app/cold-users.ts';
import { TIMES } from '../../src/app/run-process.ts';
import { run } from '../../src/index/protocol.ts';
import { refresh } from '../../src/index/refresh.ts';
import { buildOn } from '../../src/query/cold-builds.ts';
import { SmallUsers } from '../../src/query/small-users.ts';
import { Deadline } from '../../src/timing/deadline.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshStores, recentContactsOn, type Stores } from '../support/stores.ts';
import { until } from '../support/until.ts';

const LIMITS = { max: 4, min: 2 };
const FIRST = { relation: 'any', limit: 2, below: undefined } as const;
const CONTACTS = ['1', '2', '3', '4', '5'];
const USERS = ['100', '101', '102', '103', '104', '105'] as const;

let stores: Stores;

beforeAll(async () => {
  stores = await freshStores({ ...LIMITS, rules: { indexAbove: 3, keep: 1 } });
  await writeSite(freshSitePool(stores.url), everybodyKnows(USERS, CONTACTS));
});

/** The reads of a process with these settings. */
function reading(rules: { keep: number; indexAbove?: number }, { readerDayMs } = TIMES) {
  const { index, primary, steps, delayed } = stores;
  const resources = new AsyncDisposableStack();
  onTestFinished(() => resources.disposeAsync());
  const config = { plainConcurrency: 2, mysqlTimeoutMs: 5_000, indexAbove: 0, ...rules };
  const context = { config, logger: pino({ level: 'silent' }), resources } as unknown as Parameters<
    typeof openColdUsers
  >[0];
  const small = config.indexAbove > 0 ? new SmallUsers({ database: primary, most: config.indexAbove }) : undefined;
  const build = buildOn({ steps, delayed }, { ...config, onSmall: (user) => small?.note(user) });
  const { effects } = openColdUsers(context, { index, primary, build, isReplica: false, readerDayMs });
  return recentContactsOn(stores, LIMITS, { ...effects, small });
}

describe('a user without an index', () => {
  it('gets one at the second read of a day, because the first may be the only one', async () => {
    const recent = reading({ keep: 1 });
    const find = () => recent.find({ user: USERS[0], ...FIRST });
    expect(await find()).toMatchObject({ reason: 'cold', exact: true });
    expect((await stores.index.read(USERS[0], 0, false)).state).toBe('cold');
    expect(await find()).toMatchObject({ reason: 'cold', exact: true });
    expect(await find()).toMatchObject({ source: 'index', exact: true });
  });

  it('gets none while each read comes a day after the one before', async () => {
    const recent = reading({ keep: 1 }, { ...TIMES, readerDayMs: 1 });
    for (let read = 1; read <= 3; read++) {
      const readAt = performance.now();
      expect(await recent.find({ user: USERS[5], ...FIRST })).toMatchObject({ reason: 'cold' });
      await until(() => performance.now() > readAt + 50);
    }
  });

  it('gets it again at once when it was read shortly before', async () => {
    const recent = reading({ keep: 1 });
    const find = () => recent.find({ user: USERS[1], ...FIRST });
    for (let read = 1; read <= 3; read++) await find();
    await stores.redis.unlink(await stores.redis.keys(`${stores.prefix}*`));
    expect(await find()).toMatchObject({ reason: 'cold' });
    expect(await find()).toMatchObject({ source: 'index' });
  });

  it('gets it at the first read where indexes are kept for good', async () => {
    const recent = reading({ keep: 1_000_000 });
    const find = () => recent.find({ user: USERS[2], ...FIRST });
    expect(await find()).toMatchObject({ reason: 'cold' });
    expect(await find()).toMatchObject({ source: 'index' });
  });

  it('gets none where there are no indexes', async () => {
    const recent = reading({ keep: 0 });
    for (let read = 1; read <= 3; read++)
      expect(await recent.find({ user: USERS[3], ...FIRST })).toMatchObject({ reason: 'cold' });
  });

  it('is known as small as soon as a build has found few rows', async () => {
    const recent = reading({ keep: 1, indexAbove: 3 });
    const find = () => recent.find({ user: USERS[4], ...FIRST });
    expect(await find()).toMatchObject({ reason: 'cold' });
    await freshSitePool(stores.url).query('DELETE FROM contacts WHERE user_id = ? LIMIT 2', [USERS[4]]);
    expect(await find()).toMatchObject({ reason: 'cold' });
    expect(await find()).toMatchObject({ reason: 'small', contacts: [{}, {}] });
  });

  it('is known as small again after a while where no build could find it', async () => {
    const small = new SmallUsers({ database: stores.primary, most: 3, rememberedMs: 1 });
    const recent = recentContactsOn(stores, LIMITS, { small });
    const find = () => recent.find({ user: USERS[3], ...FIRST });
    expect(await find()).toMatchObject({ reason: 'cold' });
    await freshSitePool(stores.url).query('DELETE FROM contacts WHERE user_id = ? LIMIT 2', [USERS[3]]);
    await until(async () => (await find()).reason === 'small');
  });

  it('is left to the next read by a build that has answered and then lost its race', async () => {
    const asked: string[] = [];
    const delayed = { askForRebuild: async (user: string) => void asked.push(user) };
    const topContacts: typeof stores.steps.topContacts = async (users, by) => {
      const found = await stores.steps.topContacts(users, by);
      await run(refresh(users.map((user) => ({ user, contact: CONTACTS[0] as string }))), stores.steps);
      return found;
    };
    const build = buildOn({ steps: { ...stores.steps, topContacts }, delayed }, { mysqlTimeoutMs: 5_000 });
    const rows: unknown[] = [];
    const report = await build(USERS[1], { deadline: new Deadline(5_000), onRows: (top) => rows.push(top) });
    expect(rows.length).toBe(1);
    expect(report.rebuilt).toEqual([]);
    expect(asked).toEqual([]);
  });
});
