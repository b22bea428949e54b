import { Redis } from 'ioredis';
import type { Pool, RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeyNames } from '../../src/index/redis/keys.ts';
import { PAGE_SIZE } from '../../src/repair/user-pages.ts';
import { between, seededRandom } from '../../src/tools/demo/random.ts';
import { loadGraph } from '../../src/tools/reference-site/load-graph.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { CliProcess, type Settings } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { shortOrLong } from '../support/length.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

/** The same with 20 deaths between any two writes, in one process: repair/backfill.int and repair/repair.int. */
const KILLS = Number(process.env.FAULTS_KILLS ?? shortOrLong(2, 5));

/** A life that ends at its first new write redoes a page before it, so there are more pages than lives. */
const PAGES = 2 * KILLS;
const USERS = PAGES * PAGE_SIZE;
const CONTACTS = ['900001', '900002', '900003', '900004'];

/** From here on each life ends at its first new write, so that the run does not finish before its last death. */
const LATE = 0.4 * USERS;

/** One in so many users has a wrong score, for the repair. */
const EVERY = 25;
const WRONG_AT = '7777';

/** Seed of the moments of the kills. */
const SEED = Number(process.env.FAULTS_SEED ?? 20_041);

describe(`fault 35: a command over ${USERS} users is killed ${KILLS} times`, { timeout: 1_200_000 }, () => {
  const random = seededRandom(SEED);
  let settings: Settings & { MYSQL_URL: string };
  let pool: Pool;
  let redis: Redis;
  let names: KeyNames;
  /** The commands reach Redis through this process, so they stand still while it is busy. */
  let proxy: TcpProxy;

  beforeAll(async () => {
    settings = await serviceSettings();
    pool = openSitePool(settings.MYSQL_URL, 2);
    redis = new Redis(String(settings.REDIS_URL));
    proxy = await TcpProxy.before(String(settings.REDIS_URL));
    names = new KeyNames(String(settings.KEY_PREFIX));
    const users = [...Array.from({ length: USERS }, (_, i) => String(i + 1)), ...CONTACTS].map((id) => ({ id }));
    const contacts = users.slice(0, USERS).flatMap(({ id }) => CONTACTS.map((contact) => ({ user: id, contact })));
    const photos = CONTACTS.map((owner, i) => ({ owner, audience: 0 as const, uploadedAt: 1_000 + i }));
    await loadGraph(pool, { users, contacts, photos });
  });

  afterAll(async () => {
    redis?.disconnect();
    await proxy?.[Symbol.asyncDispose]();
    await pool?.end();
  });

  /** The latest run of this command and its progress: ids start at 1, so the cursor is a number of users. */
  async function run(command: Command): Promise<{ id: string; cursor: number }> {
    const [rows] = await pool.query<RowDataPacket[]>(
      'SELECT id, cursor_id FROM recency_runs WHERE kind = ? ORDER BY id DESC LIMIT 1',
      [command],
    );
    return { id: String(rows[0]?.id ?? ''), cursor: Number(rows[0]?.cursor_id ?? 0) };
  }

  /** How many of the users after the cursor that need work are done already. */
  async function doneBehind(cursor: number, { concerned, isDone }: Concern): Promise<number> {
    const behind = concerned.filter((user) => user > cursor && user <= cursor + 3 * PAGE_SIZE);
    const done = await Promise.all(behind.map(isDone));
    return done.filter(Boolean).length;
  }

  type Command = 'backfill' | 'repair';

  interface Concern {
    readonly command: Command;
    /** In ascending order. */
    readonly concerned: readonly number[];
    readonly isDone: (user: number) => Promise<boolean>;
  }

  /** Asked between two lives: a command that runs may be faster than the questions. */
  async function firstUndone(from: number, { concerned, isDone }: Concern): Promise<number> {
    for (const user of concerned) if (user > from && !(await isDone(user))) return user;
    throw new Error(`nothing is left to do after ${from}`);
  }

  /** Ends a life at its first new write, or a moment after the cursor has moved. */
  async function killSomewhere(
    cli: CliProcess,
    { from, next }: { readonly from: number; readonly next: number },
    { command, isDone }: Concern,
  ): Promise<void> {
    if (from >= LATE || random() < 0.5) await until(() => isDone(next), { interval: 1 });
    else {
      const moved = await until(async () => (await run(command)).cursor > from && performance.now(), { interval: 1 });
      const moment = moved + between(random, 0, 40);
      await until(() => performance.now() >= moment, { interval: 1 });
    }
    cli.signal('SIGKILL');
    expect(await cli.ended).toMatchObject({ signal: 'SIGKILL' });
  }

  /** Kills the command again and again, resuming it each time, then lets it finish. @returns its report */
  async function killAgainAndAgain(concern: Concern) {
    const { command } = concern;
    const lease = `${settings.KEY_PREFIX}:lease:{${command}}`;
    let [last, cursor] = ['', 0];
    const resume = () => [command, '--json', ...(last === '' ? [] : ['--resume', last])];
    for (let kill = 0; kill < KILLS; kill++) {
      const next = await firstUndone(cursor, concern);
      await using cli = new CliProcess(resume(), { ...settings, REDIS_URL: proxy.url });
      // A write of the life before may still arrive: it must not end this one before it has begun.
      await until(async () => (await redis.exists(lease)) === 1, { interval: 1 });
      await killSomewhere(cli, { from: cursor, next }, concern);
      // The lease would end by itself in 30 s: it was not released.
      expect(await redis.del(lease)).toBe(1);
      const now = await run(command);
      if (last !== '') expect(now.id).toBe(last);
      expect(now.cursor).toBeGreaterThanOrEqual(cursor);
      const again = await doneBehind(now.cursor, concern);
      expect(again).toBeLessThanOrEqual(concern.concerned.filter((user) => user <= PAGE_SIZE).length);
      [last, cursor] = [now.id, now.cursor];
    }
    expect(cursor).toBeLessThan(USERS);
    const ended = await runInProcess(resume(), settings);
    return { code: ended.code, report: ended.json()[0] };
  }

  it('backfill: continues from its cursor, and redoes at most a page each time', async () => {
    const concerned = Array.from({ length: USERS }, (_, i) => i + 1);
    const isDone = async (user: number) => (await redis.exists(names.set(String(user)))) === 1;
    const { code, report } = await killAgainAndAgain({ command: 'backfill', concerned, isDone });
    expect(report).toMatchObject({ users: USERS, rebuilt: USERS, unsettled: 0 });
    expect(code).toBe(0);
  });

  it('repair: continues from its cursor, and redoes at most a page each time', async () => {
    const concerned = Array.from({ length: USERS / EVERY }, (_, i) => (i + 1) * EVERY);
    const [contact = ''] = CONTACTS;
    expect((await runInProcess(['backfill'], settings)).code).toBe(0);
    for (const user of concerned) await redis.zadd(names.set(String(user)), 'XX', WRONG_AT, contact);
    const isDone = async (user: number) => (await redis.zscore(names.set(String(user)), contact)) === '1000';
    const { code, report } = await killAgainAndAgain({ command: 'repair', concerned, isDone });
    // A user repaired in a page that was killed before it was counted is right when the page is redone.
    expect(report).toMatchObject({ users: USERS, warm: USERS, repaired: report.wrong });
    expect(report.wrong).toBeLessThanOrEqual(concerned.length);
    expect(report).toMatchObject({ still_wrong: 0, unsettled: 0 });
    expect(code).toBe(0);
    const { stdout } = await runInProcess(['verify', '--json'], settings);
    expect(JSON.parse(stdout)).toMatchObject({ users: USERS, warm: USERS, wrong: 0, unsettled: 0, answers_wrong: 0 });
  });
});
