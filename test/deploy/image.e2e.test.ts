import { readFileSync } from 'node:fs';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import type { Settings } from '../support/cli.ts';
import { buildImage, docker, logsOf } from '../support/image.ts';
import { freshDatabase, freshName } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { until } from '../support/until.ts';

/** Bytes; debian:bookworm-slim is the largest base that the Dockerfile names. */
const LIMIT = 250_000_000;
const LARGEST_BASE = 75_000_000;

/** Nothing but what a cluster with the strictest rules allows, and one way to the test's servers. */
const CONFINED = ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges', '--network=host'];

const image = `recency-test:${freshName()}`;
const variables = (settings: Settings) =>
  Object.entries(settings).flatMap(([name, value]) => ['--env', `RECENCY_${name}=${value}`]);

describe.runIf(process.env.STACK_FROM === 'containers')('the image', () => {
  let base: string;
  beforeAll(async () => {
    base = await buildImage(image);
  }, 900_000);
  afterAll(() => docker('image', 'rm', '--force', image));

  const inspect = async (name: string) => JSON.parse(await docker('image', 'inspect', name))[0];

  it('has less than 250 MB, runs as nobody in particular, and holds only what runs', async () => {
    const { Size, Config } = await inspect(image);
    const own = Size - (await inspect(base)).Size;
    expect(own + LARGEST_BASE).toBeLessThan(LIMIT);
    expect(Config.User).toBe('1000:1000');
    const files = await docker('run', '--rm', '--entrypoint=node', image, '-p', 'fs.readdirSync(".").join()');
    expect(files).toBe('.recency,LICENSE,bin,dist,migrations,node_modules,package.json');
    await expect(docker('run', '--rm', '--entrypoint=sh', image, '-c', 'true')).rejects.toThrow('not found');
  });

  it('serves without privileges on a file system that it may only read, becomes healthy, and ends in order', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(await docker('run', '--rm', ...CONFINED, image, '--version')).toBe(version);

    const settings = { ...(await serviceSettings()), MYSQL_URL: await freshDatabase(), PORT: `${await freePort()}` };
    await docker('run', '--rm', ...CONFINED, ...variables(settings), image, 'migrate');
    const checks = ['--health-interval=1s', '--stop-timeout=10'];
    const container = await docker('run', '--detach', ...CONFINED, ...checks, ...variables(settings), image);
    onTestFinished(async () => void (await docker('rm', '--force', '--volumes', container)));
    const state = async () => JSON.parse(await docker('inspect', '--format={{json .State}}', container));
    const { Running } = await until(async () => {
      const now = await state();
      return (now.Health.Status === 'healthy' || !now.Running) && now;
    });
    expect(Running, await logsOf(container)).toBe(true);

    const answer = await fetch(`http://127.0.0.1:${settings.PORT}/v1/users/1/contacts/recent`);
    expect(answer.status).toBe(200);
    expect(await docker('exec', container, 'recency', '--version'), 'by its name').toBe(version);
    const check = ['node', '/app/dist/health/healthcheck.js'];
    const unhealthy = docker('exec', `--env=RECENCY_PORT=${await freePort()}`, container, ...check);
    await expect(unhealthy).rejects.toMatchObject({
      ...{
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^http:\S+ does not answer: connect ECONNREFUSED \S+\n$/),
      },
    });
    const { Log } = (await state()).Health;
    expect(Log.at(-1)).toMatchObject({ ExitCode: 0, Output: 'ready\n' });

    await docker('stop', container); // kills it when the time is over, and then its exit code is 137
    expect(await state()).toMatchObject({ Running: false, ExitCode: 0 });
  });
});
