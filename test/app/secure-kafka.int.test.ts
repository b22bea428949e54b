import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { kafkaSettings, openKafkaTransport } from '../../src/app/kafka-transport.ts';
import { openPrimary } from '../../src/app/open-mysql.ts';
import { type Config, loadConfig } from '../../src/config/config.ts';
import type { SettingName } from '../../src/config/settings.ts';
import { kafkaChecks } from '../../src/doctor/kafka-checks.ts';
import { examine } from '../../src/health/finding.ts';
import { EVERYBODY } from '../../src/index/drain-barrier.ts';
import { createKafka } from '../../src/transport/kafka/client.ts';
import { isPassing } from '../../src/transport/kafka/errors.ts';
import { oauthTokens } from '../../src/transport/kafka/oauth-token.ts';
import { OneCluster } from '../../src/transport/kafka/one-cluster.ts';
import { KafkaTaskPublisher } from '../../src/transport/kafka/publisher.ts';
import type { Transport } from '../../src/transport/transport.ts';
import { type CertificateFiles, TestCa } from '../support/certificates.ts';
import { PASSWORD, SecureKafka, SHORT_SESSION_MS, unsignedToken, writeToken } from '../support/secure-kafka.ts';
import { freshName, hasKafka } from '../support/servers.ts';
import { freshStores } from '../support/stores.ts';
import { until } from '../support/until.ts';

const MINUTE_MS = 60_000;
const ALLOW_ALL = { resourcePatternType: 3, operation: 2, permissionType: 3, host: '*' } as const;
const [TOPIC, GROUP] = [2, 3] as const;

/** kafkajs's numbers. */
const OPERATIONS = { READ: 3, WRITE: 4, DESCRIBE: 8 } as const;

type Operation = keyof typeof OPERATIONS;

type Settings = Partial<Record<SettingName, string>>;

const configOf = (settings: Settings) =>
  loadConfig(Object.fromEntries(Object.entries(settings).map(([name, value]) => [`RECENCY_${name}`, value])));

function opened(config: Config): Transport {
  const primary = openPrimary(config);
  const opening = { config, primary, name: 'test', logger: pino({ level: 'silent' }), cluster: new OneCluster() };
  const transport = openKafkaTransport(opening, 'small');
  onTestFinished(async () => void (await Promise.all([transport.close(), primary.close()])));
  return transport;
}

describe.runIf(hasKafka())('Kafka over TLS and SASL', () => {
  let ca: TestCa;
  let kafka: SecureKafka;
  let client: CertificateFiles;
  let mysqlUrl: string;
  const topic = freshName();

  beforeAll(async () => {
    mysqlUrl = (await freshStores()).url;
    ca = await TestCa.create();
    kafka = await SecureKafka.start(ca, ['site', 'least'], 'site');
    client = await ca.issue('client', { name: 'certified' });
    const admin = kafka.admin.admin();
    await admin.connect();
    const principals = ['User:site', 'User:bearer', 'User:CN=certified'];
    const acl = principals.flatMap((principal) =>
      [TOPIC, GROUP].map((resourceType) => ({
        ...ALLOW_ALL,
        resourcePatternType: 3 as const,
        principal,
        resourceType,
        resourceName: '*',
      })),
    );
    await admin.createAcls({ acl });
    await admin.createTopics({ topics: [topic, `${topic}.dlq`].map((name) => ({ topic: name, numPartitions: 1 })) });
    await admin.disconnect();
  });
  afterAll(async () => {
    await kafka?.[Symbol.asyncDispose]();
    ca?.remove();
  });

  const base = (more: Settings = {}): Settings => ({
    ...kafka.settings,
    ...{ MYSQL_URL: mysqlUrl, TRANSPORT: 'kafka', TOPIC: topic, KAFKA_GROUP: freshName(), START_TIMEOUT_MS: '20000' },
    ...more,
  });
  const signIn = (mechanism: string): Settings => ({
    KAFKA_SASL: mechanism,
    KAFKA_USER: 'site',
    KAFKA_PASSWORD: PASSWORD,
  });
  const bearer = (lastsMs = MINUTE_MS): Settings => ({
    KAFKA_SASL: 'oauthbearer',
    KAFKA_OAUTH_TOKEN_FILE: writeToken(join(ca.folder, freshName()), 'bearer', lastsMs),
  });

  /** Sends a message and consumes it. */
  async function roundTrip(settings: Settings): Promise<void> {
    const opened = createKafka(kafkaSettings(configOf(settings), 'test', pino({ level: 'silent' })));
    const [producer, consumer] = [opened.producer(), opened.consumer({ groupId: String(settings.KAFKA_GROUP) })];
    onTestFinished(async () => void (await Promise.all([producer.disconnect(), consumer.disconnect()])));
    await Promise.all([producer.connect(), consumer.connect()]);
    const text = freshName();
    const heard: string[] = [];
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({ eachMessage: async ({ message }) => void heard.push(String(message.value)) });
    await producer.send({ topic, messages: [{ value: text }] });
    await until(() => heard.includes(text));
  }

  async function refusal(settings: Settings): Promise<string> {
    const transport = opened(configOf(settings));
    const error = await transport.untilReady(new AbortController().signal).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'StartError' });
    return (error as Error).message;
  }

  it.each([
    ['PLAIN', () => base(signIn('plain'))],
    ['SCRAM-SHA-256', () => base(signIn('scram-sha-256'))],
    ['SCRAM-SHA-512', () => base(signIn('scram-sha-512'))],
    ['OAUTHBEARER, a token from a file', () => base(bearer())],
    [
      'OAUTHBEARER, a token that a command prints',
      () =>
        base({
          KAFKA_SASL: 'oauthbearer',
          KAFKA_OAUTH_TOKEN_COMMAND: `printf %s '${unsignedToken('bearer', MINUTE_MS)}'`,
        }),
    ],
    [
      'a client certificate',
      () => base({ KAFKA_BROKERS: kafka.mtls, KAFKA_TLS_CERT: client.cert, KAFKA_TLS_KEY: client.key }),
    ],
  ])('with %s: a message is sent and received', async (_way, settings) => {
    await roundTrip(settings());
  });

  it("continues past the token's expiry: a new one is fetched in time", async () => {
    const settings = base(bearer(12_000));
    const opened = createKafka(kafkaSettings(configOf(settings), 'test', pino({ level: 'silent' })));
    const producer = opened.producer();
    onTestFinished(() => producer.disconnect());
    await producer.connect();
    const begun = performance.now();
    // The file is renewed in time, as an agent would do.
    await until(() => performance.now() - begun > 1_000);
    writeToken(String(settings.KAFKA_OAUTH_TOKEN_FILE), 'bearer', 10 * MINUTE_MS);
    let sentLater = 0;
    await until(
      async () => {
        await producer.send({ topic, messages: [{ value: 'on' }] });
        if (performance.now() - begun > 12_000) sentLater++;
        return sentLater > 3;
      },
      { interval: 500 },
    );
  });

  it('works through many short sessions of the broker: each is renewed before it ends', async () => {
    const settings = kafkaSettings(configOf(base(signIn('scram-sha-256'))), 'test', pino({ level: 'silent' }));
    const opened = createKafka(settings);
    const [producer, consumer] = [opened.producer(), opened.consumer({ groupId: freshName() })];
    onTestFinished(async () => void (await Promise.all([producer.disconnect(), consumer.disconnect()])));
    await Promise.all([producer.connect(), consumer.connect()]);
    const [own, crashes, heard] = [freshName(), [] as Error[], new Set<string>()];
    consumer.on('consumer.crash', ({ payload }) => void crashes.push(payload.error));
    await consumer.subscribe({ topics: [topic] });
    await consumer.run({ eachMessage: async ({ message }) => void heard.add(String(message.value)) });
    const begun = performance.now();
    const sent: string[] = [];
    await until(
      async () => {
        sent.push(`${own} ${sent.length}`);
        await producer.send({ topic, messages: [{ value: String(sent.at(-1)) }] });
        return performance.now() - begun > 4 * SHORT_SESSION_MS;
      },
      { interval: 100 },
    );
    await until(() => heard.has(String(sent.at(-1))));
    expect(crashes).toEqual([]);
  });

  it('connects with a certificate that was replaced meanwhile', async () => {
    const own = await ca.issue('renewed', { name: 'certified' });
    const settings = base({ KAFKA_BROKERS: kafka.mtls, KAFKA_TLS_CERT: own.cert, KAFKA_TLS_KEY: own.key });
    const opened = createKafka(kafkaSettings(configOf(settings), 'test', pino({ level: 'silent' })));
    /** As whom a new connection is known. */
    const refused = async () => {
      const producer = opened.producer({ retry: { retries: 0 } });
      onTestFinished(() => producer.disconnect());
      const sending = producer.connect().then(() => producer.send({ topic, messages: [{ value: 'renewed' }] }));
      return await sending.then(
        () => undefined,
        (error: Error) => error.message,
      );
    };
    expect(await refused()).toBeUndefined();
    await ca.issue('renewed', { name: 'somebody else' });
    expect(await refused()).toMatch(/authori/i);
    await ca.issue('renewed', { name: 'certified' });
    expect(await refused()).toBeUndefined();
  });

  describe('an operation that an ACL does not allow is named', () => {
    type Rules = readonly (readonly ['topic' | 'dlq' | 'group', Operation])[];

    async function allow(name: string, rules: Rules): Promise<void> {
      const acl = rules.map(([what, operation]) => ({
        ...{ ...ALLOW_ALL, resourcePatternType: 3 as const, principal: 'User:least' },
        ...{ resourceType: what === 'group' ? GROUP : TOPIC, resourceName: what === 'dlq' ? `${name}.dlq` : name },
        operation: OPERATIONS[operation],
      }));
      const admin = kafka.admin.admin();
      await admin.connect();
      if (acl.length > 0) await admin.createAcls({ acl });
      await admin.disconnect();
    }

    /** A topic, and an account with exactly these permissions on it. */
    async function allowed(rules: Rules) {
      const name = freshName();
      const admin = kafka.admin.admin();
      await admin.connect();
      await admin.createTopics({ topics: [name, `${name}.dlq`].map((one) => ({ topic: one, numPartitions: 1 })) });
      await admin.disconnect();
      await allow(name, rules);
      const settings = { ...base(signIn('plain')), KAFKA_USER: 'least', TOPIC: name, KAFKA_GROUP: name };
      const config = configOf(settings);
      const transport = opened(config);
      return { name, transport, config };
    }

    it.each([
      ['the topic of the tasks, to anybody', [['dlq', 'WRITE']], 'DESCRIBE on the topic "@"'],
      ['the topic of the dead letters, to anybody', [['topic', 'WRITE']], 'DESCRIBE on the topic "@.dlq"'],
    ] as const)('%s', async (_what, rules, named) => {
      const { name, transport } = await allowed(rules);
      const refused = `Kafka does not allow ${named.replace('@', name)}`;
      // The broker learns of an ACL a little later than the controller.
      await until(async () => {
        const error = await transport.untilReady(new AbortController().signal).catch((e: unknown) => e);
        return (error as Error).message.includes(refused);
      });
    });

    it("DESCRIBE on the group, for the lag of the indexes, by doctor too; with it the group's offsets are read", async () => {
      const { name, transport, config } = await allowed([
        ['topic', 'WRITE'],
        ['dlq', 'DESCRIBE'],
      ]);
      const refused = `Kafka does not allow DESCRIBE on the group "${name}"`;
      await until(async () => {
        await transport.untilReady(new AbortController().signal);
        return true;
      });
      const passed = async () => (await transport.strictBarrier([EVERYBODY])).passed();
      await expect(passed()).rejects.toThrow(refused);
      const settings = kafkaSettings(config, 'doctor', pino({ level: 'silent' }));
      const findings = async () => await examine('kafka', await kafkaChecks(settings, [{ topic: name, group: name }]));
      expect(await findings()).toEqual([
        { area: 'kafka', check: 'topics', state: 'problem', detail: expect.stringContaining(refused) },
      ]);
      await allow(name, [['group', 'DESCRIBE']]);
      expect(await until(passed)).toBe(true);
      expect((await findings()).find(({ check }) => check === 'consumers')).toMatchObject({
        ...{ state: 'warning', detail: expect.stringMatching(/^no consumer in the group/) },
      });
    });

    it('WRITE, for a publisher', async () => {
      const { name, transport, config } = await allowed([
        ['topic', 'DESCRIBE'],
        ['dlq', 'DESCRIBE'],
      ]);
      await until(async () => {
        await transport.untilReady(new AbortController().signal);
        return true;
      });
      const publisher = new KafkaTaskPublisher({
        kafka: kafkaSettings(config, 'test', pino({ level: 'silent' })),
        topic: name,
        deadlineMs: 60_000,
      });
      onTestFinished(() => publisher.close());
      const task = { task: { type: 'recency.user.deleted', user: '1' }, id: '1', source: '/test', time: 1 } as const;
      await expect(publisher.publish([task])).rejects.toThrow(`Kafka does not allow WRITE on the topic "${name}"`);
    });
  });

  it('a refusal names the setting and the reason, and is not retried', async () => {
    const right = base(signIn('scram-sha-512'));
    expect(await refusal({ ...right, KAFKA_PASSWORD: 'wrong-one' })).toMatch(
      /refuses the sign-in: SASL SCRAM.*invalid credentials.*RECENCY_KAFKA_PASSWORD/,
    );
    const { KAFKA_TLS_CA: _, ...noCa } = right;
    expect(await refusal(noCa)).toMatch(
      /^The certificate of Kafka at .* is signed by a CA that is not known here.*RECENCY_KAFKA_TLS_CA/,
    );
    const elsewhere = kafka.sasl.replace('127.0.0.1', 'localhost');
    expect(await refusal({ ...right, KAFKA_BROKERS: elsewhere })).toMatch(
      /it is for another host name \(Host: localhost/,
    );
    const mtls = { ...base(), KAFKA_BROKERS: kafka.mtls };
    expect(await refusal(mtls)).toMatch(/refuses the TLS handshake: it .*client certificate.*RECENCY_KAFKA_TLS_CERT/);
    const other = await TestCa.create('Another CA');
    onTestFinished(() => other.remove());
    const stranger = await other.issue('stranger', { name: 'certified' });
    const certificate = { KAFKA_TLS_CERT: stranger.cert, KAFKA_TLS_KEY: stranger.key };
    expect(await refusal({ ...mtls, ...certificate })).toMatch(
      /refuses the TLS handshake: .*client certificate.*RECENCY_KAFKA_TLS_CERT/,
    );
    expect(await refusal({ ...base(bearer(-1_000)), START_TIMEOUT_MS: '1000' })).toMatch(
      /the token of RECENCY_KAFKA_OAUTH_TOKEN_FILE expired at/,
    );
  });
});

describe('the tokens of OAUTHBEARER', () => {
  it('from a command are fetched once for all clients, and again before they expire', async () => {
    const ca = await TestCa.create();
    onTestFinished(() => ca.remove());
    const counter = join(ca.folder, 'count');
    let now = Date.now();
    const token = unsignedToken('bearer', 10 * MINUTE_MS);
    const tokens = oauthTokens({ command: `echo x >> '${counter}'; printf %s '${token}'` }, () => now);
    const runs = async () => {
      const { readFile } = await import('node:fs/promises');
      return (await readFile(counter, 'utf8')).trim().split('\n').length;
    };
    expect(await Promise.all([tokens(), tokens(), tokens()])).toEqual(Array(3).fill({ value: token }));
    now += 9 * MINUTE_MS;
    await tokens();
    expect(await runs()).toBe(1);
    now += MINUTE_MS / 2 + 1_000;
    await tokens();
    expect(await runs()).toBe(2);
  });

  it.each([
    ['no file', { file: '/none' }, /RECENCY_KAFKA_OAUTH_TOKEN_FILE names a file that cannot be read \(ENOENT\)/],
    [
      'a command that fails',
      { command: 'echo secret-1; exit 3' },
      /RECENCY_KAFKA_OAUTH_TOKEN_COMMAND failed with exit code 3/,
    ],
    ['a command that prints nothing', { command: 'true' }, /holds no token/],
  ])('%s: an error that passes, names the setting and holds no secret', async (_what, source, message) => {
    const error = (await oauthTokens(source)().catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain('secret-1');
    expect(isPassing(error)).toBe(true);
  });
});
