import type { Logger } from 'pino';
import { parsePosition, positionText } from '../../../capture/binlog/log-place.ts';
import { readTables } from '../../../capture/binlog/log-reader.ts';
import { BinlogSource } from '../../../capture/binlog/source.ts';
import { Capture } from '../../../capture/capture.ts';
import type { ChangeSource } from '../../../capture/change-source.ts';
import { hintBatches } from '../../../capture/hints.ts';
import { type Mapping, mappedColumns, mappingDigest } from '../../../capture/mapping.ts';
import { PatientPublisher } from '../../../capture/publishing.ts';
import { bumpKeepingSuspension } from '../../../index/epoch.ts';
import { readLogEnd } from '../../../mysql/capture.ts';
import { Database } from '../../../mysql/database.ts';
import { nextFencingToken } from '../../../mysql/leases.ts';
import { readServer } from '../../../mysql/server-record.ts';

/** What capture has said, in the order in which it said it. */
export interface Said {
  /** `user contact`, as often as it was published. */
  readonly hints: string[];
  /** When each new epoch began, by the monotonic clock, ms. */
  readonly epochs: number[];
  readonly gaps: string[];
  /** How often a write of capture's own has come back, and all that came with it is done. */
  echoes: number;
}

export interface CapturedHere {
  stop(): Promise<void>;
}

/** Captures in this process, until it is stopped: what it publishes is written down. */
export async function captureHere(url: string, mapping: Mapping, said: Said, logger: Logger): Promise<CapturedHere> {
  const database = new Database(url, { connections: 3, queue: 100, deadlineMs: 10_000 });
  const { hostname, port, username, password, pathname } = new URL(url);
  const own = pathname.slice(1);
  const connection = { host: hostname, port: Number(port), user: username, password, database: own };
  const publish: PublishTasks = async (tasks) => {
    for (const { task } of tasks) if ('contact' in task) said.hints.push(`${task.user} ${task.contact}`);
  };
  const capture = new Capture({
    database,
    source: 'binlog',
    open: (position) => {
      const source = new BinlogSource({
        connection,
        from: parsePosition(position) ?? { gtids: '' },
        tables: readTables(mapping, { own, source: 'binlog', views: [] }),
        mapped: mappedColumns(mapping).values(),
      });
      return countingEchoes(source, said);
    },
    present: async () => positionText(await readLogEnd(database)),
    server: async () => (await readServer(database)).identity,
    check: async () => undefined,
    newEpoch: async (why) => {
      said.epochs.push(performance.now());
      await bumpKeepingSuspension(database, why);
    },
    begin: hintBatches(mapping),
    mapping: mappingDigest(mapping),
    publisher: new PatientPublisher({ publish, checkRoom: async () => undefined }, logger, 'history'),
    logger,
    clock: { wall: () => Date.now(), now: () => performance.now() },
    stallMs: 18_000,
    onGap: (reason) => said.gaps.push(reason),
  });
  const ending = new AbortController();
  const token = await nextFencingToken(database, 'capture', Date.now());
  const running = capture.run({ lease: 'capture', token }, ending.signal);
  running.catch(() => undefined);
  return {
    stop: async () => {
      ending.abort();
      await running.catch(() => undefined);
      await database.close();
    },
  };
}

/** What was given is done when more is asked for. */
function countingEchoes(source: ChangeSource, said: Said): ChangeSource {
  let hasEcho = false;
  return {
    get received() {
      return source.received;
    },
    next: async (waitMs, signal) => {
      if (hasEcho) said.echoes += 1;
      const batch = await source.next(waitMs, signal);
      hasEcho = batch.echoes.length > 0;
      return batch;
    },
    close: () => source.close(),
  };
}

type PublishTasks = ConstructorParameters<typeof PatientPublisher>[0]['publish'];
