import { beforeAll, describe, expect, it } from 'vitest';
import { CONTACTS } from '../../src/contracts/kind.ts';
import type { Outgoing, Watch } from '../../src/contracts/watch.ts';
import { Database } from '../../src/mysql/database.ts';
import type { DeliveryOutcome } from '../../src/push/channel.ts';
import { runCheck } from '../../src/push/check-steps.ts';
import { settle } from '../../src/push/settle.ts';
import { insertUndelivered } from '../../src/push/undelivered.ts';
import { insertWatch, readWatch, saveWatches, type WatchSave } from '../../src/push/watch-table.ts';
import { runInProcess } from '../support/in-process.ts';
import { closeAtEnd } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { until } from '../support/until.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

let primary: Database;
let ids: string[];
let recency: (...args: string[]) => ReturnType<typeof runInProcess>;

beforeAll(async () => {
  const settings = await serviceSettings();
  primary = new Database(settings.MYSQL_URL, { connections: 2, queue: 10, deadlineMs: 60_000 });
  closeAtEnd(() => primary.close());
  recency = (...args) => runInProcess(['watches', ...args], settings);
  const watch = { kinds: [CONTACTS.name], relation: 'any', muted: [], intervalMs: 0, secrets: [SECRET] } as const;
  const hook = { channel: 'webhook', url: 'https://example.com/hook' } as const;
  ids = [];
  for (const user of ['1', '2', '1'])
    ids.push((await insertWatch(primary, { ...watch, ...hook, user }, NOW, 10)) as string);
});

/** What a notifier does once it knows what became of a delivery. */
async function settleOne(watch: Watch, outcome: DeliveryOutcome): Promise<void> {
  const { id, user, channel, secrets, outgoing, told } = watch;
  const sent = { ...(outgoing as Outgoing), isTest: true };
  const notification = { ...sent, watch: id, user, timestamp: NOW, target: { channel, secrets } };
  const steps = { save: (saves: readonly WatchSave[]) => saveWatches(primary, saves), again: async () => undefined };
  const delivery = { save: { ...watch, outgoing: sent }, notification, told };
  await runCheck(settle([delivery], [outcome], { now: NOW, random: () => 0.5 }), steps);
}

describe('recency watches', () => {
  it('list: all of them page by page, or those of a user', async () => {
    const [first, second, third] = ids as [string, string, string];
    const page = await recency('list', '--limit', '2', '--json');
    expect(page.json()).toMatchObject([
      {
        watches: [
          { id: first, user: '1', kinds: ['contacts'], channel: 'webhook', state: 'waiting' },
          { id: second, user: '2' },
        ],
      },
    ]);
    expect(page.stderr).toContain(`continue with --after ${second}`);
    expect((await recency('list', '--after', second, '--json')).json()).toMatchObject([{ watches: [{ id: third }] }]);
    expect((await recency('list', '--user', '9', '--json')).json()).toEqual([{ watches: [] }]);
    const table = await recency('list', '--user', '2');
    expect(table.stdout).toContain('https://example.com/hook');
    expect(table.stdout).not.toContain(`${third} `);
    expect((await recency('list', '--user', '9')).stdout).toContain('There are no watches.');
  });

  it('show: one, without its secrets', async () => {
    const shown = await recency('show', String(ids[1]));
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/^user: 2$/m);
    expect(shown.stdout + shown.stderr).not.toContain('whsec');
  });

  it('remove: one, and says when there is none', async () => {
    const id = (await insertWatch(
      primary,
      { user: '3', kinds: ['contacts'], relation: 'any', muted: [], intervalMs: 0, channel: 'kafka', secrets: [] },
      NOW,
      10,
    )) as string;
    expect((await recency('remove', id)).stdout).toContain(`Watch ${id} is removed.`);
    for (const command of ['remove', 'show', 'test']) {
      const refused = await recency(command, id);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain(`There is no watch ${id}.`);
    }
  });

  it('test: waits for the delivery, and fails, with the reason, when it fails', async () => {
    const id = String(ids[1]);
    const outcomes = [
      { is: 'delivered' },
      { is: 'failed', why: 'of a test' },
      { is: 'gone', why: 'for good' },
    ] as const;
    for (const outcome of outcomes) {
      const said = recency('test', id, '--json');
      await until(async () => (await readWatch(primary, id))?.outgoing !== undefined);
      const watch = (await readWatch(primary, id)) as Watch;
      await settleOne(watch, outcome);
      await primary.write('UPDATE recency_watches SET due_at = NULL WHERE id = ?', [id]); // as the check after it does
      const { code, json } = await said;
      const { is, ...why } = { why: undefined, ...outcome };
      expect([code, json()]).toEqual([
        is === 'delivered' ? 0 : 1,
        [
          {
            watch: id,
            notification: watch.outgoing?.id,
            delivered: is === 'delivered',
            ...JSON.parse(JSON.stringify(why)),
          },
        ],
      ]);
      expect((await recency('show', id, '--json')).json()).toMatchObject([
        { last_test: { notification: watch.outgoing?.id, delivered: is === 'delivered' } },
      ]);
    }
  });

  it('undelivered: lists what was given up, and puts it on its way again under its id', async () => {
    const [watch = ''] = ids;
    const letter = {
      user: '1',
      sources: [{ kind: 'contacts', id: '9', at: 100 }],
      more: false,
      givenUpAt: NOW,
    } as const;
    await insertUndelivered(primary, [
      { ...letter, id: 'first', watch },
      { ...letter, id: 'second', watch },
      { ...letter, id: 'third', watch: '999' },
    ]);
    const listed = await recency('undelivered', 'list', '--json');
    expect(listed.json()[0].undelivered).toMatchObject([
      {
        ...{ notification: 'first', watch, user: '1', sources: ['contacts/9'] },
        given_up_at: '2026-01-02T03:04:05.000Z',
      },
      { notification: 'second' },
      { notification: 'third' },
    ]);
    const replayed = await recency('undelivered', 'replay', 'first', 'second', 'third', 'fourth', '--json');
    expect(replayed.json()[0].undelivered).toEqual([
      { notification: 'first', outcome: 'replayed' },
      { notification: 'second', outcome: 'busy' },
      { notification: 'third', outcome: 'no_watch' },
      { notification: 'fourth', outcome: 'unknown' },
    ]);
    expect(replayed.code).toBe(1);
    expect(await readWatch(primary, watch)).toMatchObject({ outgoing: { id: 'first', sources: [{ id: '9' }] } });
    expect((await recency('undelivered', 'list')).stdout).not.toContain('first');
  });
});
