import {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  type Admin,
  Kafka,
  ResourcePatternTypes,
} from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../src/tools/devservers/launch/free-port.ts';
import { type RunningServer, startKafka } from '../../../src/tools/devservers/start-server.ts';
import { CliProcess, type Settings } from '../../support/cli.ts';
import { hasKafka, sql } from '../../support/servers.ts';
import { serviceSettings } from '../../support/service-settings.ts';
import { until } from '../../support/until.ts';

/** Resources without an ACL are open to everybody. */
const AUTHORIZER = [
  ...['--override', 'authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer'],
  ...['--override', 'allow.everyone.if.no.acl.found=true'],
];

type Rule = readonly [
  resource: 'TOPIC' | 'GROUP',
  name: string,
  operation: 'READ' | 'WRITE' | 'DESCRIBE' | 'ALL',
  permission: 'ALLOW' | 'DENY',
];

async function readiness(port: string) {
  const response = await fetch(`http://127.0.0.1:${port}/readyz?verbose`);
  const body = (await response.json()) as {
    status: string;
    failing: string[];
    checks: Record<string, { detail?: string }>;
  };
  return { code: response.status, ...body };
}

function untilCode(port: string, code: 200 | 503) {
  return until(async () => {
    const answer = await readiness(port);
    return answer.code === code && answer;
  });
}

const errorsIn = ({ stdout }: CliProcess) => stdout.split('\n').filter((line) => line.includes('"level":"error"'));

describe.runIf(hasKafka())('a permission that Kafka refuses', { timeout: 300_000 }, () => {
  let broker: RunningServer;
  let admin: Admin;

  beforeAll(async () => {
    broker = await startKafka({ from: 'programs', args: AUTHORIZER });
    admin = new Kafka({ brokers: [broker.url], logLevel: 0 }).admin();
    await admin.connect();
  });
  afterAll(async () => {
    await admin?.disconnect();
    await broker?.remove();
  });

  const allow = (rules: readonly Rule[]) =>
    admin.createAcls({
      acl: rules.map(([resource, resourceName, operation, permission]) => ({
        resourceType: AclResourceTypes[resource],
        resourceName,
        resourcePatternType: ResourcePatternTypes.LITERAL,
        principal: 'User:ANONYMOUS',
        host: '*',
        operation: AclOperationTypes[operation],
        permissionType: AclPermissionTypes[permission],
      })),
    });

  const forgetAll = (resource: 'TOPIC' | 'GROUP', resourceName: string) =>
    admin.deleteAcls({
      filters: [
        {
          resourceType: AclResourceTypes[resource],
          resourceName,
          resourcePatternType: ResourcePatternTypes.LITERAL,
          operation: AclOperationTypes.ANY,
          permissionType: AclPermissionTypes.ANY,
        },
      ],
    });

  async function startOn(command: string): Promise<{ cli: CliProcess; port: string }> {
    const port = String(await freePort());
    const cli = new CliProcess([command], { ...settings, METRICS_PORT: port }).killAtEnd();
    await cli.says(command === 'relay' ? 'relaying' : 'consuming');
    return { cli, port };
  }

  let settings: Settings & { MYSQL_URL: string };
  async function freshSettings(): Promise<string> {
    settings = { ...(await serviceSettings('kafka')), KAFKA_BROKERS: broker.url };
    return String(settings.TOPIC);
  }

  it.each([
    ['DESCRIBE', 'READ'],
    ['READ', 'DESCRIBE'],
  ] as const)('%s of the group: an error that names it, and not ready, until it is granted', async (refused, given) => {
    const group = await freshSettings();
    await allow([
      ['GROUP', group, given, 'ALLOW'],
      ['GROUP', group, refused, 'DENY'],
    ]);
    const { cli, port } = await startOn('consume');
    const text = `Kafka does not allow ${refused} on the group "${group}"`;
    await cli.says(JSON.stringify(text).slice(1, -1));
    const { code, status, failing, checks } = await readiness(port);
    expect({ code, status, failing }).toEqual({ code: 503, status: 'unready', failing: ['tasks'] });
    expect(checks.tasks?.detail).toContain(text);
    expect(errorsIn(cli)).toHaveLength(1); // tried again and again, told once
    await forgetAll('GROUP', group);
    const ready = await untilCode(port, 200);
    expect(ready.checks.tasks?.detail).toBe('6 of 6 partitions admitted; 24 of 24 partitions admitted');
  });

  it('WRITE on the topic: the relay is not ready until it is granted', async () => {
    const topic = await freshSettings();
    const { port } = await startOn('relay');
    expect(await untilCode(port, 200)).toMatchObject({ status: 'ready', failing: [] });
    await allow([
      ['TOPIC', topic, 'DESCRIBE', 'ALLOW'],
      ['TOPIC', topic, 'READ', 'ALLOW'],
    ]);
    await sql(settings.MYSQL_URL, "INSERT INTO recency_outbox (type, user_id) VALUES ('recency.photo.uploaded', 1)");
    const { failing, checks } = await untilCode(port, 503);
    expect(failing).toEqual(['publishing']);
    expect(checks.publishing?.detail).toContain(`Kafka does not allow WRITE on the topic "${topic}"`);
    await forgetAll('TOPIC', topic);
    await untilCode(port, 200);
  });
});
