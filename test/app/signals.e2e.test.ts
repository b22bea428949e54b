import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { migrate } from '../../src/mysql/migrate.ts';
import { CliProcess, type Settings } from '../support/cli.ts';
import { IS_LONG } from '../support/length.ts';
import { loggedMysql, WITH_GTIDS } from '../support/logged-mysql.ts';
import { mappingFile } from '../support/reference-mapping.ts';
import { freshName, freshPrefix, hasKafka, kafkaBrokers, redisUrl } from '../support/servers.ts';
import { until } from '../support/until.ts';

const mysql = loggedMysql(WITH_GTIDS);

/** What each process says last of its start. */
const PROCESSES = {
  serve: 'answering at',
  relay: 'relaying',
  consume: 'consuming',
  notify: 'notifying',
  'capture --dry-run': 'nothing is written',
  capture: 'capturing the binary log',
};

async function site(transport: 'kafka' | 'streams'): Promise<Settings> {
  const MYSQL_URL = await mysql.createDatabase();
  await migrate({ url: MYSQL_URL });
  return {
    ...{ MYSQL_URL, REDIS_URL: redisUrl(), KEY_PREFIX: freshPrefix(), CAPTURE_MAPPING: mappingFile() },
    ...{ TRANSPORT: transport, TOPIC: freshName(), PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'debug' },
    ...(transport === 'kafka' ? { KAFKA_BROKERS: kafkaBrokers().join(',') } : {}),
  };
}

const linesOf = ({ stdout, stderr }: CliProcess): string[] => `${stderr}${stdout}`.split('\n').filter(Boolean);

/** Starts a command and sends it a signal as soon as it has said so many lines, or this text. Returns what it said until then. */
async function endAt(command: string, settings: Settings, seen: number | string): Promise<string[]> {
  const cli = new CliProcess(command.split(' '), settings).killAtEnd();
  const isSeen = () =>
    typeof seen === 'number' ? linesOf(cli).length >= seen : linesOf(cli).some((line) => line.includes(seen));
  await until(isSeen, { interval: 1 });
  const said = linesOf(cli);
  cli.signal('SIGTERM');
  expect(await cli.ended, `${command} after ${said.length} lines\n${linesOf(cli).join('\n')}`).toEqual({
    code: 0,
    signal: null,
  });
  return said;
}

const transports = ['streams', ...(IS_LONG && hasKafka() ? ['kafka' as const] : [])] as const;

it.each(transports.flatMap((transport) => Object.entries(PROCESSES).map((each) => [transport, ...each] as const)))(
  'on %s, %s exits with 0 at a signal, whatever it has just said',
  async (transport, command, last) => {
    const settings = await site(transport);
    const count = (await endAt(command, settings, last)).length;
    const all = Array.from({ length: count }, (_, i) => i + 1);
    for (const lines of IS_LONG ? all : [randomInt(1, count + 1)]) await endAt(command, settings, lines);
  },
  600_000,
);
