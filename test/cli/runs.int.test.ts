import { beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../support/in-process.ts';
import { sql } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';

let url: string;
let recency: (...args: string[]) => ReturnType<typeof runInProcess>;

beforeAll(async () => {
  const settings = await serviceSettings();
  url = settings.MYSQL_URL;
  await writeSite(freshSitePool(url), everybodyKnows(['1', '2', '3'], ['4', '5']));
  recency = (...args) => runInProcess(args, settings);
});

const runs = async (...args: string[]) => (await recency('runs', '--json', ...args)).json()[0].runs;

describe('recency runs', () => {
  it('says when there was none', async () => {
    expect((await recency('runs')).stdout).toContain('There was no run yet.');
    expect(await runs()).toEqual([]);
  });

  it('shows what each found and did, the latest first', async () => {
    expect((await recency('backfill')).code).toBe(0);
    expect((await recency('repair', '--dry-run')).code).toBe(0);
    expect(await runs()).toMatchObject([
      { run: '2', job: 'repair', state: 'done', dry_run: true, users: { done: 3, of: 3 }, found: { wrong: 0 } },
      {
        run: '1',
        job: 'backfill',
        state: 'done',
        dry_run: false,
        users: { done: 3, of: 3 },
        did: { rebuilt: 3 },
        ends_at: null,
      },
    ]);
    expect(await runs('--limit', '1')).toMatchObject([{ run: '2' }]);
  });

  it('tells one that goes on from one that can be resumed, with how far they are', async () => {
    const unfinished = (updatedAt: string) =>
      `UPDATE recency_runs SET state = 'running', finished_at = NULL, updated_at = ${updatedAt}, cursor_id = 1,
       counts = JSON_SET(counts, '$.before.users', 1, '$.cost.seconds', 2) WHERE id = 1`;
    const now = Date.now();
    await sql(url, unfinished(`${now + 3_600_000}`));
    const [, goesOn] = await runs();
    expect(goesOn).toMatchObject({ state: 'running', users: { done: 1, of: 3 }, users_per_second: 1 });
    expect(Date.parse(goesOn.ends_at)).toBe(now + 3_600_000 + 4_000);
    await sql(url, unfinished(`${now - 3_600_000}`));
    expect((await runs())[1]).toMatchObject({ state: 'still', ends_at: null });
    expect((await recency('runs')).stdout).toContain('stopped: --resume 1');
    expect((await recency('backfill', '--resume', '1')).code).toBe(0);
    expect((await runs())[1]).toMatchObject({ state: 'done' });
  });
});
