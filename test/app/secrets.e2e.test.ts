import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { type RunningServer, startKafka } from '../../src/tools/devservers/start-server.ts';
import { CliProcess, runCli, type Settings } from '../support/cli.ts';
import { hasKafka, redisUrl } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';

/** Stands for a password: no output line may contain it, in any encoding. */
const MARKER = 'hunter2Marker';
const FORMS = [MARKER, Buffer.from(MARKER).toString('base64').slice(0, 16), Buffer.from(MARKER).toString('hex')];
const LOGIN = fileURLToPath(new URL('../support/kafka-login.ts', import.meta.url));

/** One of each kind: a service on every store, a command with stores, one with a transport. */
const COMMANDS: readonly (readonly string[])[] = [['serve'], ['consume'], ['relay'], ['verify'], ['dlq', 'list']];

function expectNoSecret(output: string): void {
  for (const form of FORMS) expect(output).not.toContain(form);
}

/** The address with a user that the server does not know. */
function asStranger(address: string): string {
  const url = new URL(address);
  url.username = 'nobody';
  url.password = MARKER;
  return url.href;
}

let settings: Settings & { MYSQL_URL: string };

beforeAll(async () => {
  settings = { ...(await serviceSettings('streams')), LOG_LEVEL: 'trace', START_TIMEOUT_MS: '6000' };
  // The libraries' own debug output.
  vi.stubEnv('DEBUG', '*');
  vi.stubEnv('KAFKAJS_LOG_LEVEL', 'DEBUG');
  vi.stubEnv('KAFKAJS_DEBUG_PROTOCOL_BUFFERS', '1');
  vi.stubEnv('KAFKAJS_DEBUG_EXTENDED_PROTOCOL_BUFFERS', '1');
});
afterAll(() => {
  vi.unstubAllEnvs();
});

describe('a password that the server refuses is in no output of', () => {
  it.concurrent.each(COMMANDS.map((command) => [command.join(' '), command] as const))('%s', async (_name, command) => {
    const wrong: [Settings, RegExp][] = [
      [{ REDIS_URL: asStranger(redisUrl()) }, /WRONGPASS|refuses this user/],
      [{ MYSQL_URL: asStranger(settings.MYSQL_URL) }, /refuses user|Access denied/],
    ];
    // Processes are slow to start, and all of them log in to MySQL by the same code.
    const some = command[0] === 'serve' || command[0] === 'verify' ? wrong : wrong.slice(0, 1);
    const ended = await Promise.all(some.map(([other]) => runCli(command, { ...settings, ...other })));
    for (const [i, { code, stdout, stderr }] of ended.entries()) {
      expect(code).toBe(1);
      expect(stdout + stderr).toMatch(some[i]?.[1] as RegExp);
      expectNoSecret(stdout + stderr);
    }
  });

  it('an API that receives tokens', async () => {
    await using api = new CliProcess(['serve'], { ...settings, TOKENS: `${MARKER}Right:read` });
    await api.says('answering at');
    const url = /answering at (http:\S+),/.exec(api.stdout)?.[1];
    const ask = async (token: string) =>
      (await fetch(`${url}/v1/users/1/contacts/recent`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await ask(`${MARKER}Right`)).toBe(200);
    expect(await ask(`${MARKER}Wrong`)).toBe(401);
    api.signal('SIGTERM');
    expect((await api.ended).code).toBe(0);
    expectNoSecret(api.stdout + api.stderr);
  });
});

describe.runIf(hasKafka())('a password that Kafka refuses', () => {
  let broker: RunningServer;
  let address: string;

  beforeAll(async () => {
    const [port, sasl, controller] = [await freePort(), await freePort(), await freePort()];
    address = `127.0.0.1:${sasl}`;
    const properties = {
      listeners: `PLAINTEXT://127.0.0.1:${port},LOGIN://${address},CONTROLLER://127.0.0.1:${controller}`,
      'advertised.listeners': `PLAINTEXT://127.0.0.1:${port},LOGIN://${address}`,
      'controller.quorum.voters': `1@127.0.0.1:${controller}`,
      'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,LOGIN:SASL_PLAINTEXT',
      'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256',
      'listener.name.login.plain.sasl.jaas.config':
        'org.apache.kafka.common.security.plain.PlainLoginModule required user_someone="another";',
      'listener.name.login.scram-sha-256.sasl.jaas.config':
        'org.apache.kafka.common.security.scram.ScramLoginModule required;',
    };
    const args = Object.entries(properties).flatMap(([name, value]) => ['--override', `${name}=${value}`]);
    broker = await startKafka({ from: 'programs', port, args });
  });
  afterAll(() => broker?.remove());

  it.each(['plain', 'scram-sha-256'])('with SASL %s is in no output, whatever kafkajs logs', async (mechanism) => {
    const args = [LOGIN, address, mechanism, 'nobody', MARKER];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
    expect(stdout).toMatch(/authentication failed/i);
    expectNoSecret(stdout + stderr);
  });
});
