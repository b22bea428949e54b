import { describe, expect, it } from 'vitest';
import { ask } from '../support/api.ts';
import { CliProcess, type Settings, startProcess } from '../support/cli.ts';
import { indexedSite } from '../support/indexed-site.ts';
import { shortOrLong } from '../support/length.ts';
import { freshName, sql } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { until } from '../support/until.ts';

/** The clock of the lag is the same with both. */
const TRANSPORTS = shortOrLong(['kafka'], ['streams', 'kafka']) as ('streams' | 'kafka')[];

const RECENT = '/v1/users/2/contacts/recent';

/** Below what stands still for as long as the tests wait, and above what a busy machine needs while everything runs. */
const WITHIN_MS = 5_000;

interface Says {
  readonly source: string;
  readonly exact: boolean;
  readonly reason?: string;
  readonly lag_ms: number | null;
}

const addressOf = (serve: CliProcess) => ({ url: String(/"address":"(http:[^"]+)"/.exec(serve.stdout)?.[1]) });

async function says(serve: CliProcess): Promise<Says> {
  const { body } = await ask(addressOf(serve), RECENT);
  const { source, exact, reason, lag_ms } = body.answer;
  const answer = { source, exact, ...(reason && { reason }), lag_ms };
  const isKnown = answer.lag_ms !== null && answer.lag_ms <= WITHIN_MS;
  expect(answer.source === 'database' || answer.exact === isKnown, JSON.stringify(answer)).toBe(true);
  return answer;
}

const fromIndex = async (serve: CliProcess) => {
  const answer = await says(serve);
  return answer.source === 'index' && answer;
};

const readiness = async (serve: CliProcess) => (await ask(addressOf(serve), '/readyz?verbose')).body;
const isReady = async (serve: CliProcess) => (await readiness(serve)).status === 'ready';

const withLimit = (settings: Settings) => ({ ...settings, EXACT_WITHIN_MS: String(WITHIN_MS), PORT: '0' });
const startServe = (settings: Settings) => startProcess('serve', withLimit(settings));

/** Before its start is over. */
async function beginServe(settings: Settings): Promise<CliProcess> {
  const serve = new CliProcess(['serve'], withLimit(settings)).killAtEnd();
  await serve.says('listening at');
  return serve;
}

const UPLOAD = "INSERT INTO recency_outbox (type, user_id, at) VALUES ('recency.photo.uploaded', 1, 1)";

describe.each(TRANSPORTS)('an answer from an index, with %s', { timeout: 600_000 }, (transport) => {
  it('is exact while something applies the changes, and not when that has stopped, for old processes and new ones', async () => {
    const settings = await serviceSettings(transport);
    await indexedSite(settings, ['2'], ['1']);
    await sql(settings.MYSQL_URL, UPLOAD);
    const first = await beginServe(settings);
    const waiting = await until(async () => {
      const found = await readiness(first);
      return found.failing.length === 1 && found; // Redis and the transport are admitted before the lag is measured
    });
    expect(waiting, 'the lag may still become known').toMatchObject({
      status: 'unready',
      failing: ['start'],
      checks: { start: { detail: 'answers from indexes are not exact yet: the lag is not known, or too large' } },
    });
    expect((await ask(addressOf(first), '/startupz')).status).toBe(503);
    const unknown = await until(() => fromIndex(first));
    expect(unknown, 'the relay and the consumers were never started').toMatchObject({
      exact: false,
      reason: 'lag',
      lag_ms: null,
    });
    await until(() => isReady(first), { what: 'ready, although nothing will ever measure the lag' });
    expect((await ask(addressOf(first), '/startupz')).status).toBe(200);

    const relay = await startProcess('relay', settings);
    const consume = await startProcess('consume', settings);
    await until(async () => (await says(first)).exact);
    const second = await startServe(settings);
    await until(() => isReady(second));
    expect(await fromIndex(second), 'exact when ready').toMatchObject({ exact: true });

    consume.signal('SIGKILL');
    relay.signal('SIGKILL');
    await Promise.all([consume.ended, relay.ended]);
    await sql(settings.MYSQL_URL, UPLOAD);
    for (const serve of [first, second]) await until(async () => !(await says(serve)).exact);
    const third = await startServe(settings);
    const late = await until(() => fromIndex(third));
    expect(late, 'nothing has arrived since it started').toMatchObject({ exact: false, reason: 'lag', lag_ms: null });
  });
});

it('an answer from an index is not exact where changes are to be captured, and capture has never run', async () => {
  const settings = await serviceSettings();
  await indexedSite(settings, ['2'], ['1']);
  await startProcess('consume', settings);
  const [serve, other] = [
    await startServe({ ...settings, CAPTURE_TOPIC_PREFIX: freshName() }),
    await startServe({ ...settings, KEY_PREFIX: settings.KEY_PREFIX as string }),
  ];
  await until(async () => (await says(other)).exact);
  expect(await until(() => fromIndex(serve))).toMatchObject({ exact: false, reason: 'lag', lag_ms: null });
});
