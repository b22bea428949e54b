import process from 'node:process';
import { beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../support/api.ts';
import { CliProcess, runCli, type Settings } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { indexedSite } from '../support/indexed-site.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { until } from '../support/until.ts';

const RECENT = '/v1/users/2/contacts/recent';

/** Each on a connection of its own, because a connection stays with its worker. */
const REQUESTS = 12;

async function site(): Promise<Settings> {
  const settings = await serviceSettings();
  await indexedSite(settings, ['2'], ['1']);
  return settings;
}

function workersOf(cli: CliProcess) {
  const timesSaid = (text: string) => cli.stdout.split(text).length - 1;
  const url = String(/"address":"(http:[^"]+)"/.exec(cli.stdout)?.[1]);
  const pids = () => [...cli.stdout.matchAll(/"workerPid":(\d+)/g)].map(([, pid]) => Number(pid));
  /** Answers that each worker has counted. */
  const counts = async () => {
    const response = await fetch(`${url}/metrics`, { headers: { Connection: 'close' } });
    expect(response.status).toBe(200);
    const text = await response.text();
    const answers = [...text.matchAll(/^recency_answers_total\{.*worker="(\d+)".*\} (\d+)$/gm)];
    const byWorker = Map.groupBy(answers, ([, worker]) => worker);
    return [...byWorker.values()].map((own) => own.reduce((sum, [, , count]) => sum + Number(count), 0));
  };
  return { url, pids, counts, timesSaid };
}

/** No consumer has run, so nobody knows how far the indexes are behind. */
const NO_CONSUMER = { source: 'index', exact: false, reason: 'lag', lag_ms: null };

async function askAll(url: string): Promise<void> {
  for (let i = 0; i < REQUESTS; i++) {
    const response = await fetch(url + RECENT, { headers: { Connection: 'close' } });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ contacts: [{ id: '1' }], answer: NO_CONSUMER });
  }
}

/** As the charts of the console have them, of either worker. */
async function answersOfTheHour(url: string): Promise<number> {
  const response = await fetch(`${url}/console/history`, { headers: { Connection: 'close' } });
  const { charts } = (await response.json()) as { charts: { answers: { values: (number | null)[] }[] } };
  const perSecond = charts.answers.flatMap(({ values }) => values.map((value) => value ?? 0));
  return Math.round(5 * perSecond.reduce((sum, value) => sum + value, 0));
}

/** The tests use one `serve --workers 2`, in their order. */
describe('serve --workers', () => {
  let settings: Settings;
  let cli: CliProcess;
  let workers: ReturnType<typeof workersOf>;

  beforeAll(async () => {
    settings = await site();
    cli = new CliProcess(['serve', '--workers', '2'], settings);
    await until(() => cli.stdout.split('answering at').length > 2);
    workers = workersOf(cli);
    return () => cli[Symbol.asyncDispose]();
  });

  it('answers on one port from several processes, whose metrics are one reply', async () => {
    const { url, counts } = workers;
    await askAll(url);
    const [one = 0, two = 0] = await until(async () => {
      const both = await counts();
      return both.length === 2 && both;
    });
    expect(one + two).toBe(REQUESTS);
    expect(Math.min(one, two)).toBeGreaterThan(0);
    // Not known: not 0.
    const ages = async () => {
      const text = await (await fetch(`${url}/metrics`, { headers: { Connection: 'close' } })).text();
      return [...text.matchAll(/^recency_oldest_unapplied_seconds\{.*lane="small".*\} (\S+)$/gm)].map(([, age]) => age);
    };
    await until(async () => (await ages()).length === 2);
    expect(await ages()).toEqual(['Nan', 'Nan']);
    await until(async () => (await answersOfTheHour(url)) === REQUESTS, { what: 'one history of both workers' });
  });

  it('answers for metrics with those of the others while a worker is stopped, and says how many are missing', async () => {
    const { url, pids } = workers;
    const [first = 0] = pids();
    process.kill(first, 'SIGSTOP');
    const { promise, resolve } = Promise.withResolvers<string>();
    await until(async () => {
      // A connection may be given to the worker that is stopped.
      const options = { headers: { Connection: 'close' }, signal: AbortSignal.timeout(3_000) };
      const response = await fetch(`${url}/metrics`, options).catch(() => undefined);
      if (response?.status === 200) resolve(await response.text());
      return response?.status === 200;
    });
    const text = await promise;
    expect(text).toMatch(/^recency_serve_workers_missing\{process="serve"\} 1$/m);
    expect(text).toMatch(/^process_cpu_seconds_total\{.*worker="\d"/m);
  });

  it('replaces the worker that is stopped, and then every request is answered', async () => {
    const { url, pids, timesSaid } = workers;
    const [stopped = 0] = pids();
    await cli.says('a worker has not answered for 10 s, and is killed');
    await until(() => timesSaid('answering at') >= 3);
    expect(() => process.kill(stopped, 0)).toThrow('ESRCH');
    await askAll(url);
  });

  it('ends with its reason when a worker cannot start', async () => {
    const { url } = workers;
    const second = await runCli(['serve', '--workers', '2'], { ...settings, PORT: new URL(url).port });
    expect(second.code).toBe(1);
    expect(`${second.stdout}${second.stderr}`).toContain('did not start');
    expect((await ask({ url }, RECENT)).status).toBe(200);
    const third = await runCli(['serve', '--workers', '2'], { ...settings, PORT: '0', KINDS: 'contacts,groups' });
    expect(third.code).toBe(1);
    expect(`${third.stdout}${third.stderr}`).toMatch(/recency_groups/);
  });

  it('replaces a worker that is killed, answers meanwhile, and ends with all of them', async () => {
    const { url, pids, counts, timesSaid } = workers;
    const first = pids().at(-1) ?? 0;
    process.kill(first, 'SIGKILL');
    await until(() => timesSaid('another one takes its place') >= 2);
    await askAll(url);
    await until(() => timesSaid('answering at') >= 4);
    expect(pids()).toHaveLength(4);
    await askAll(url);
    await until(async () => (await counts()).length === 2);
    expect(Math.min(...(await counts()))).toBeGreaterThan(0);
    cli.signal('SIGTERM');
    expect(await cli.ended).toEqual({ code: 0, signal: null });
    for (const pid of pids()) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('is not started with a number that makes no sense', async () => {
    for (const count of ['0', '-1', 'two', '65']) {
      const { code, stderr } = await runInProcess(['serve', '--workers', count], {});
      expect(code).toBe(2);
      expect(stderr).toContain('from 1 to 64');
    }
  });
});
