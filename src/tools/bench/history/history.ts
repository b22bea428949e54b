import pino from 'pino';
import { startMysql } from '../../devservers/start-server.ts';
import type { Bench, Ground } from '../bench.ts';
import type { Measurements } from '../report.ts';
import { runHistories } from './run.ts';

export interface HistorySize {
  readonly histories: number;
  readonly seed: number;
}

/** With a binary log as capture needs it; the server is the bench's own, which kills it. */
export const LOGGED_SERVER = [
  ...['--server-id=7', '--log-bin=binlog', '--binlog-format=ROW', '--loose-gtid-mode=ON'],
  ...['--loose-enforce-gtid-consistency=ON', '--loose-log-bin-trust-function-creators=ON'],
];

/** Random histories of a server whose changes are captured, judged by SQL over the base tables. */
export const history: Bench<HistorySize> = {
  name: 'history',
  summary: 'random statements, restarts and kills while changes are captured: changes that nobody was told of',
  transport: 'kafka',
  full: { histories: 10_000, seed: 1 },
  quick: { histories: 20, seed: 1 },
  measure,
};

async function measure({ signal, progress }: Ground, { histories, seed }: HistorySize): Promise<Measurements> {
  await using server = await startMysql({ args: LOGGED_SERVER });
  const { findings: _, ...counts } = await runHistories({
    ...{ server, histories, seed, signal, progress },
    logger: pino({ level: 'silent' }),
  });
  return { rows: [{ ...counts }], ratios: { histories: counts.histories, missed: counts.missed } };
}
