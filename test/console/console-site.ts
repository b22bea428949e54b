import { planTaskOf } from '../../src/contracts/bulk-task.ts';
import { FanOutProgress } from '../../src/index/redis/fan-out-progress.ts';
import { SamplerReports } from '../../src/repair/sampler/report.ts';
import { encodeTask } from '../../src/transport/cloud-events.ts';
import type { Settings } from '../support/cli.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { runInProcess } from '../support/in-process.ts';
import { PLANTS, spoil } from '../support/plant-drift.ts';
import { segmentTasksOf } from '../support/segment-tasks.ts';
import { sql } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshRedis, storesOn } from '../support/stores.ts';
import { open } from '../transport/place.ts';

const HOUR_MS = 3_600_000;
const FIRST_UPLOAD = Date.parse('2026-05-01T08:00:00Z');
const WHY = ['user: must be a string of digits', 'type: "recency.contact.poked" is not known'];

/**
 * A site with something on every page of the console: users 1, 2 and 3 with 30 contacts, an index of each that is wrong, two dead
 * letters, two fan-outs, and three runs.
 * @param cleanUp is told what to close at the end
 */
export async function consoleSite(cleanUp: (close: () => Promise<unknown>) => void) {
  const settings = await serviceSettings();
  const { MYSQL_URL: url, REDIS_URL = '', KEY_PREFIX: prefix = '', TOPIC } = settings;
  const redis = await freshRedis();
  const primary = new ContactsDatabase(url, { connections: 3, queue: 100, deadlineMs: 60_000 });
  cleanUp(() => primary.close());
  await writeContacts(url);
  await command(['backfill'], settings);
  const stores = storesOn({ url, prefix, primary, redis }, { max: 24, min: 12 });
  await spoil(stores, '1', PLANTS.score);
  await spoil(stores, '2', PLANTS.missing);
  await spoil(stores, '3', PLANTS.ghost);
  await command(['repair', '--dry-run'], settings);
  await addRuns(url);
  await addFanOuts(new FanOutProgress(redis, prefix));
  const stream = `${prefix}:${TOPIC}`;
  const transport = await open({ kind: 'streams', url: REDIS_URL, stream });
  cleanUp(() => transport.close());
  await transport.deadLetters.put(WHY.map((message, i) => letter(message, i)));
  const tasks = async () => await redis.xlen(stream);
  /** The last run saves a page now. */
  const goOn = () => sql(url, `UPDATE recency_runs SET updated_at = ${Date.now()} WHERE id = 4`);
  return { settings, tasks, primary, goOn, sample: () => new SamplerReports(redis, prefix).write(SAMPLED) };
}

async function writeContacts(url: string): Promise<void> {
  const contacts = Array.from({ length: 30 }, (_, i) => String(100 + i));
  const site = everybodyKnows(['1', '2', '3'], contacts);
  const photos = site.photos.map((photo, i) => ({ ...photo, at: FIRST_UPLOAD + i * HOUR_MS }));
  await writeSite(freshSitePool(url), { ...site, photos });
}

async function command(args: readonly string[], settings: Settings): Promise<void> {
  const { code, stderr } = await runInProcess([...args, '--json'], settings);
  if (code !== 0 && code !== 3) throw new Error(`recency ${args.join(' ')} ended with ${code}: ${stderr}`);
}

/** Two that are not done, and have not gone on for an hour. */
async function addRuns(url: string): Promise<void> {
  const now = Date.now();
  const counts = JSON.stringify({
    before: { users: 2 },
    after: { rebuilt: 2, unsettled: 0, obstructed: 0, failed: 0 },
    cost: { rows_read: 60, seconds: 4 },
  });
  const run = (updated: number) =>
    `('backfill', 'running', '{"dryRun":false}', 2, '${counts}', 1, ${updated - 4_000}, ${updated})`;
  const columns = 'kind, state, parameters, cursor_id, counts, fencing_token, started_at, updated_at';
  await sql(url, `INSERT INTO recency_runs (${columns}) VALUES ${run(now - HOUR_MS)}, ${run(now - HOUR_MS)}`);
}

async function addFanOuts(progress: FanOutProgress): Promise<void> {
  const from = Date.now() - 10_000;
  const plan = planTaskOf('contacts', '42', 'p');
  await progress.planned(plan, 4, from);
  await progress.planned(planTaskOf('contacts', '7', 'q'), 9, from + 1);
  for (const [i, segment] of segmentTasksOf(plan, ['10', '20', '30']).slice(0, 2).entries()) {
    await progress.begun(segment, from + i * 2_000);
    await progress.done(segment, 20_000, from + (i + 1) * 2_000);
  }
}

function letter(message: string, i: number) {
  const task = { type: 'recency.contact.added', user: '1', contact: `${100 + i}` } as const;
  const { body, headers } = encodeTask({ task, id: `task-${i}`, source: '/site', time: FIRST_UPLOAD });
  const delivery = { position: `streams:s:1700000000000-${i}`, body, headers, timestamp: FIRST_UPLOAD };
  return { delivery, failure: { errorClass: 'InvalidTask', message, attempts: 1 } };
}

/** As a sampler writes it. */
const SAMPLED = {
  rate: 5,
  windows: {
    '10s': { checked: 50, wrong: 0, visible: 0, unsettled: 0 },
    '1m': { checked: 300, wrong: 1, visible: 1, unsettled: 0 },
    '5m': { checked: 1_500, wrong: 2, visible: 1, unsettled: 3 },
  },
  wrong_users: [
    { user: '2', classes: ['missing' as const], visible: true },
    { user: '1', classes: ['score' as const], visible: false },
  ],
};
