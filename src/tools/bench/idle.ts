import { setTimeout as pause } from 'node:timers/promises';
import { CapturingProcess, mappingFileOf, untilCaptured } from '../harness/processes/capturing.ts';
import { launchApi } from '../harness/processes/launch-api.ts';
import { RECENCY, type ServiceProcess } from '../harness/processes/process-group.ts';
import { settle } from '../harness/stores.ts';
import { CONTACTS_MAPPING } from '../reference-site/capture-mapping.ts';
import type { Bench, Ground } from './bench.ts';
import { openGround } from './bench.ts';
import { type Measurements, type ReportRow, rounded } from './report.ts';

export interface IdleSize {
  /** Before the measurement: what a start leaves to do is done by then. */
  readonly restSeconds: number;
  readonly seconds: number;
}

const TRANSPORTS = ['streams', 'kafka'] as const;

/** What the processes take while nobody asks and nothing changes. */
export const idle: Bench<IdleSize> = {
  name: 'idle',
  summary: 'processor time of each process while nothing happens',
  transport: 'kafka',
  feed: 'capture', // MySQL has a binary log, so that capture can run
  full: { restSeconds: 20, seconds: 60 },
  quick: { restSeconds: 0, seconds: 0.2 },
  measure,
};

async function measure(ground: Ground, size: IdleSize): Promise<Measurements> {
  const rows: ReportRow[] = [];
  for (const transport of TRANSPORTS) rows.push(...(await measureTransport(ground, transport, size)));
  const ratios: Record<string, number> = {};
  for (const { process, cpu_share } of rows) {
    const name = `cpu_share_${process}`;
    ratios[name] = Math.max(ratios[name] ?? 0, Number(cpu_share));
  }
  return { rows, ratios };
}

async function measureTransport(
  { servers, install, signal, progress }: Ground,
  transport: (typeof TRANSPORTS)[number],
  { restSeconds, seconds }: IdleSize,
): Promise<ReportRow[]> {
  await using resources = new AsyncDisposableStack();
  const ground = await openGround({ servers, transport, install, resources, signal, progress });
  const { processGroup, stores } = ground;
  const others = ['consume', 'relay', 'notify'].map((name) =>
    processGroup.start({ name, module: RECENCY, args: [name] }),
  );
  const api = await launchApi(processGroup, 'serve');
  await api.untilReady();
  await settle(stores.raiseBarrier, signal);
  const capturing = await CapturingProcess.start(processGroup, mappingFileOf(CONTACTS_MAPPING, resources));
  await untilCaptured(stores.primary, processGroup);
  const processes = [api.member, ...others, capturing.member];
  progress(`${transport}: resting for ${restSeconds} s, then measuring for ${seconds} s`);
  await pause(restSeconds * 1000, undefined, { signal });
  const [from, before] = [performance.now(), await cpuOf(processes)];
  await pause(seconds * 1000, undefined, { signal });
  const after = await cpuOf(processes);
  const microseconds = (performance.now() - from) * 1000;
  return processes.map(({ name }, i) => ({
    transport,
    process: name,
    cpu_share: rounded(((after[i] ?? 0) - (before[i] ?? 0)) / microseconds, 3),
  }));
}

/** Since their start, µs. */
async function cpuOf(processes: readonly ServiceProcess[]): Promise<readonly number[]> {
  const usages = await Promise.all(processes.map((member) => member.usage()));
  return usages.map(({ cpuMicroseconds }) => cpuMicroseconds);
}
