import { Agent, get, type IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { CliProcess, type Settings, startProcess } from '../support/cli.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { until } from '../support/until.ts';

let settings: Settings;
beforeAll(async () => {
  settings = await serviceSettings();
});

const addressOf = ({ stdout }: CliProcess): string => /"address":"(http:[^"]+)"/.exec(stdout)?.[1] ?? '';

interface Answer {
  readonly status: number | undefined;
  readonly connection: string | undefined;
}

function ask(url: string, agent: Agent): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const onResponse = (response: IncomingMessage) => {
    const { statusCode: status, headers } = response;
    response.resume().on('error', reject);
    response.on('end', () => resolve({ status, connection: headers.connection }));
  };
  get(url, { agent }, onResponse).on('error', reject);
  return promise;
}

const ANSWER = '/v1/users/1/contacts/recent';

describe('SIGTERM to an API that drains', () => {
  it.each([1, 2])('with %i workers leaves no request without an answer while balancers notice', async (workers) => {
    const cli = new CliProcess(['serve', '--workers', String(workers)], { ...settings, DRAIN_MS: '2000' }).killAtEnd();
    await until(() => cli.stdout.split('answering at').length > workers); // each worker says so
    const address = addressOf(cli);
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    expect(await ask(address + ANSWER, agent)).toEqual({ status: 200, connection: 'keep-alive' });

    cli.signal('SIGTERM');
    const answers: Answer[] = [];
    const readiness = new Agent();
    while ((await ask(`${address}/readyz`, readiness)).status === 200) answers.push(await ask(address + ANSWER, agent));
    for (let i = 0; i < 20; i++) answers.push(await ask(address + ANSWER, agent)); // a balancer may be slower
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(answers.slice(-20).map(({ connection }) => connection)).toEqual(Array(20).fill('close'));
    expect(await cli.ended).toEqual({ code: 0, signal: null });
    await expect(ask(address + ANSWER, agent)).rejects.toThrow('ECONNREFUSED');
  });

  it('is followed by other signals, as supervisors send them: nothing changes', async () => {
    const cli = await startProcess('serve', { ...settings, DRAIN_MS: '4000' });
    cli.signal('SIGTERM');
    await cli.says('"ending"');
    const heard = performance.now();
    await until(() => performance.now() - heard > 1_100); // SIGTERM would end it at once by now
    for (const signal of ['SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const) cli.signal(signal);
    expect(await ask(addressOf(cli) + ANSWER, new Agent())).toEqual({ status: 200, connection: 'close' });
    expect(await cli.ended).toEqual({ code: 0, signal: null });
  });

  it('drains for half of the time to end at most', async () => {
    const cli = await startProcess('serve', { ...settings, DRAIN_MS: '60000', SHUTDOWN_TIMEOUT_MS: '4000' });
    cli.signal('SIGTERM');
    expect(await cli.ended).toEqual({ code: 0, signal: null });
  });
});

/** A drain would last for half a minute. */
const LONG_DRAIN = { DRAIN_MS: '60000', SHUTDOWN_TIMEOUT_MS: '60000' };

/** It ends long before that. */
async function endsSoon(cli: CliProcess, signal: NodeJS.Signals): Promise<void> {
  const from = performance.now();
  cli.signal(signal);
  expect(await cli.ended).toEqual({ code: 0, signal: null });
  expect(performance.now() - from).toBeLessThan(20_000);
}

describe('nobody waits for a drain', () => {
  it.each([1, 2])('at Ctrl-C, with %i workers', async (workers) => {
    await using cli = new CliProcess(['serve', '--workers', String(workers)], { ...settings, ...LONG_DRAIN });
    await cli.says('answering at');
    await endsSoon(cli, 'SIGINT');
  });

  it('of an API that has not started to answer', async () => {
    await using cli = new CliProcess(['serve'], {
      ...settings,
      ...LONG_DRAIN,
      MYSQL_URL: 'mysql://nobody@127.0.0.1:1/x',
    });
    await cli.says('waiting: No MySQL answers');
    await endsSoon(cli, 'SIGTERM');
  });

  it('of a process without an API', async () => {
    const cli = await startProcess('consume', { ...settings, ...LONG_DRAIN });
    await endsSoon(cli, 'SIGTERM');
    expect(cli.stdout).not.toContain('still answering');
  });
});

it('what never closes is abandoned, with exit code 1', async () => {
  const main = fileURLToPath(new URL('../support/hanging-process.ts', import.meta.url));
  await using cli = new CliProcess([], { SHUTDOWN_TIMEOUT_MS: '1000' }, { main });
  await cli.says('consuming');
  cli.signal('SIGTERM');
  expect(await cli.ended).toEqual({ code: 1, signal: null });
  expect(cli.stdout).toContain('not everything was closed in time');
});

/** Sends the process a signal while it loads the command line. */
const SIGNAL_ITSELF = (signal: NodeJS.Signals) => `
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      if (/cli.command-line/.test(url)) process.kill(process.pid, '${signal}');
      return next(url, context);
    },
  });`;

describe('a signal to a process that has hardly begun', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGUSR2'] as const)('%s ends it with 0', async (signal) => {
    const preload = `data:text/javascript,${encodeURIComponent(SIGNAL_ITSELF(signal))}`;
    await using cli = new CliProcess(['serve'], settings, { more: { NODE_OPTIONS: `--import ${preload}` } });
    expect(await cli.ended).toEqual({ code: 0, signal: null });
  });

  it('SIGHUP changes nothing: it starts', async () => {
    const preload = `data:text/javascript,${encodeURIComponent(SIGNAL_ITSELF('SIGHUP'))}`;
    await using cli = new CliProcess(['serve'], settings, { more: { NODE_OPTIONS: `--import ${preload}` } });
    await cli.says('answering at');
    cli.signal('SIGTERM');
    expect(await cli.ended).toEqual({ code: 0, signal: null });
  });

  it('other commands end as any program does', async () => {
    const preload = `data:text/javascript,${encodeURIComponent(SIGNAL_ITSELF('SIGTERM'))}`;
    await using cli = new CliProcess(['doctor'], settings, { more: { NODE_OPTIONS: `--import ${preload}` } });
    expect(await cli.ended).toEqual({ code: null, signal: 'SIGTERM' });
  });
});
