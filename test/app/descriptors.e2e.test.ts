/** A process that has no file descriptor left when its connections break: the stores are away, and no task is at fault. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { ask } from '../support/api.ts';
import { type CliProcess, type Settings, startProcess } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { indexedSite } from '../support/indexed-site.ts';
import { sql } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { until } from '../support/until.ts';

/** Standard input and output: whatever else is closed cannot be opened again. */
const NONE = 3;

function limitDescriptors({ pid }: CliProcess, most: number): void {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${most}:`]);
}

async function killConnections({ MYSQL_URL = '' }: Settings): Promise<void> {
  const of = 'FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND ID <> CONNECTION_ID()';
  for (const { ID } of await sql(MYSQL_URL, `SELECT ID ${of}`))
    await sql(MYSQL_URL, `KILL ${ID}`).catch(() => undefined);
}

const addressOf = (serve: CliProcess) => ({ url: String(/"address":"(http:[^"]+)"/.exec(serve.stdout)?.[1]) });

/** Takes the descriptors away and its connections to MySQL with them, until it has failed for it several times. */
async function starve(cli: CliProcess, settings: Settings, failing: () => Promise<unknown>): Promise<void> {
  limitDescriptors(cli, NONE);
  await killConnections(settings);
  const failures = () => cli.stdout.split('\n').filter((line) => line.includes('EMFILE')).length;
  const before = failures();
  await until(async () => {
    await failing();
    return failures() >= before + 3;
  });
  limitDescriptors(cli, 1_024);
}

const REMOVED = "INSERT INTO recency_outbox (type, user_id, other_id) VALUES ('recency.contact.removed', 2, 1)";

it('goes on when there are descriptors again: nothing goes to the dead letters, and no process ends', async () => {
  const settings = await serviceSettings('streams');
  await indexedSite(settings, ['2'], ['1', '3']);
  const [consume, relay, serve, notify] = await Promise.all([
    startProcess('consume', settings),
    startProcess('relay', settings),
    startProcess('serve', { ...settings, PORT: '0' }),
    startProcess('notify', settings),
  ]);
  const recent = () => ask(addressOf(serve), '/v1/users/2/contacts/recent');
  await until(async () => (await recent()).body.answer?.exact);

  const statuses = new Set<number>();
  await starve(serve, settings, async () => statuses.add((await recent()).status));
  expect(statuses).not.toContain(500);
  await starve(consume, settings, () => sql(settings.MYSQL_URL, REMOVED));
  await starve(relay, settings, async () => undefined);
  await starve(notify, settings, async () => undefined);
  await sql(settings.MYSQL_URL, 'DELETE FROM contacts WHERE contact_id = 1', REMOVED);
  const { body } = await until(async () => {
    const answer = await recent();
    return answer.status === 200 && answer.body.contacts.length === 1 && answer;
  });
  expect(body.answer).toMatchObject({ source: 'index', exact: true });
  expect(await runInProcess(['dlq', 'list', '--json'], settings)).toMatchObject({
    code: 0,
    stdout: '{"dead_letters":[]}\n',
  });
  for (const one of [consume, relay, serve, notify]) one.signal('SIGTERM');
  for (const one of [consume, relay, serve, notify]) expect(await one.ended).toEqual({ code: 0, signal: null });
});
