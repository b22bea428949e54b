import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask } from '../support/api.ts';
import { CliProcess, runCli, type Settings } from '../support/cli.ts';
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

async function startWorkers(settings: Settings) {
  const cli = new CliProcess(['serve', '--workers', '2'], settings);
  onTestFinished(() => cli[Symbol.asyncDispose]());
  const timesSaid = (text: string) => cli.stdout.split(text).length - 1;
  await until(() => timesSaid('answering at') >= 2, { timeout: 60_000 });
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
  return { cli, url, pids, counts, timesSaid };
}

async function askAll(url: string): Promise<void> {
  for (let i = 0; i < REQUESTS; i++) {
    const response = await fetch(url + RECENT, { headers: { Connection: 'close' } });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ contacts: [{ id: '1' }], answer: { exact: true } });
  }
}

describe('serve --workers', { timeout: 120_000 }, () => {
  it('answers on one port from several processes, whose metrics are one reply', async () => {
    const { cli, url, counts } = await startWorkers(await site());
    await askAll(url);
    const [one = 0, two = 0] = await counts();
    expect(one + two).toBe(REQUESTS);
    expect(Math.min(one, two)).toBeGreaterThan(0);
    // No consumer has run, so nobody knows how far the indexes are behind. It is not 0.
    const text = await (await fetch(`${url}/metrics`, { headers: { Connection: 'close' } })).text();
    const ages = [...text.matchAll(/^recency_oldest_unapplied_seconds\{.*lane="small".*\} (\S+)$/gm)];
    expect(ages.map(([, age]) => age)).toEqual(['Nan', 'Nan']);
    cli.signal('SIGTERM');
    expect(await cli.ended).toEqual({ code: 0, signal: null });
  });

  it('replaces a worker that is killed, and answers meanwhile', async () => {
    const { cli, url, pids, counts, timesSaid } = await startWorkers(await site());
    const [first = 0] = pids();
    process.kill(first, 'SIGKILL');
    await cli.says('another one takes its place');
    await askAll(url);
    await until(() => timesSaid('answering at') >= 3, { timeout: 60_000 });
    expect(pids()).toHaveLength(3);
    await askAll(url);
    await until(async () => (await counts()).length === 2);
    expect(Math.min(...(await counts()))).toBeGreaterThan(0);
    cli.signal('SIGTERM');
    expect(await cli.ended).toEqual({ code: 0, signal: null });
    for (const pid of pids()) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('ends with its reason when a worker cannot start', async () => {
    const settings = await site();
    const { url, cli } = await startWorkers(settings);
    const second = await runCli(['serve', '--workers', '2'], { ...settings, PORT: new URL(url).port });
    expect(second.code).toBe(1);
    expect(`${second.stdout}${second.stderr}`).toContain('did not start');
    expect((await ask({ url }, RECENT)).status).toBe(200);
    cli.signal('SIGTERM');
    expect((await cli.ended).code).toBe(0);
  });

  it('is not started with a number that makes no sense', async () => {
    for (const workers of ['0', '-1', 'two', '65']) {
      const { code, stderr } = await runCli(['serve', '--workers', workers], {});
      expect(code).toBe(2);
      expect(stderr).toContain('from 1 to 64');
    }
  });
});
