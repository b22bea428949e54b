/** docs/restore.md, from top to bottom, on a site whose MySQL was restored in place and whose transport has lost a task. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { childEnvironment } from '../../src/config/environment.ts';
import { startProcess } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { indexedSite } from '../support/indexed-site.ts';
import { blocksOf } from '../support/page-blocks.ts';
import { commandsIn, RECENCY, runBlocks } from '../support/page-shell.ts';
import { sql } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { until } from '../support/until.ts';

const PAGE = 'docs/restore.md';

/** The page's times, and those that stand for them here: the relay removes rows as old as the page's. */
function timesFrom(now: number): readonly (readonly [theirs: string, ours: string])[] {
  const text = readFileSync(PAGE, 'utf8');
  const [from = '', to = '', ...others] = [...new Set(text.match(/\d{4}-\d\d-\d\dT[\d:]+Z/g))].sort();
  expect(others).toEqual([]);
  const ago = (ms: number) => new Date(now - ms).toISOString();
  return [
    [from, ago(3_600_000)],
    [to, ago(600_000)],
  ];
}

it('docs/restore.md makes every index right, and tells again of what was lost', async () => {
  const settings = await serviceSettings();
  await indexedSite(settings, ['2', '4'], ['1', '3']);
  const now = Date.now();
  await sql(
    settings.MYSQL_URL,
    // The backup is from before the photo of person 3; the task of person 2 was published, and never applied.
    'DELETE FROM photos WHERE owner_id = 3',
    'UPDATE users SET last_public_at = 0 WHERE id = 3',
    'UPDATE contacts SET active = FALSE, version = version + 1 WHERE user_id = 2 AND contact_id = 1',
    `INSERT INTO recency_outbox (type, user_id, other_id, published_at)
     VALUES ('recency.contact.removed', 2, 1, ${now - 1_800_000})`,
  );
  const before = await runInProcess(['verify', '--users', 'all'], settings, { settleMs: 1_000 });
  // No relay of this server has published that task: it counts as on its way until one does.
  expect(before.stdout).toMatch(/^\d+ users: .*; 2 unsettled\./);

  await Promise.all([startProcess('relay', settings), startProcess('consume', settings)]);
  const folder = mkdtempSync(join(tmpdir(), 'recency-restore-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const PATH = commandsIn(join(folder, 'bin'), { recency: RECENCY });
  const times = timesFrom(now);
  const blocks = blocksOf(PAGE).map((block) => ({
    ...block,
    code: times.reduce((code, [theirs, ours]) => code.replaceAll(theirs, ours), block.code),
  }));
  const env = { ...childEnvironment(settings), PATH };
  const [bumped, republished, afterwards, ...others] = await runBlocks(blocks, { cwd: folder, env, timeout: 60_000 });
  expect(others).toEqual([]);
  const [, epoch] = /^Epoch (\S+): every index is cold\.\n$/.exec(String(bumped?.output)) ?? [];
  expect(republished?.output).toMatch(/^[01] rows? /); // 0: the relay was quicker, and has published it by itself
  expect(afterwards?.output).toMatch(new RegExp(`^${epoch} since \\S+: restored from the backup of Sunday\\n`));
  expect(afterwards?.output).toMatch(/^2 users: 2 with an index, 0 without; 0 wrong, .* 0 unsettled\.$/m);
  await until(async () => {
    const [row] = await sql(settings.MYSQL_URL, 'SELECT MIN(published_at) AS at FROM recency_outbox');
    return Number(row?.at) >= now;
  });
});
