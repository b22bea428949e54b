import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCapture } from '../../../mysql/capture.ts';
import type { Database } from '../../../mysql/database.ts';
import { freePort } from '../../devservers/launch/free-port.ts';
import { metric } from '../http.ts';
import { until } from '../poll.ts';
import { type ProcessGroup, RECENCY, type ServiceProcess } from './process-group.ts';

const READY_TIMEOUT_MS = 60_000;
const LOOK_MS = 50;

/** `recency capture`, in a process of its own. */
export class CapturingProcess {
  readonly member: ServiceProcess;
  readonly #metricsPort: number;

  private constructor(member: ServiceProcess, metricsPort: number) {
    this.member = member;
    this.#metricsPort = metricsPort;
  }

  /** @param mapping the name of its file */
  static async start(processGroup: ProcessGroup, mapping: string, name = 'capture'): Promise<CapturingProcess> {
    const port = await freePort();
    const settings = { METRICS_PORT: String(port) };
    const args = ['capture', '--mapping', mapping];
    return new CapturingProcess(processGroup.start({ name, module: RECENCY, args, settings }), port);
  }

  /** Changes of rows whose tasks it has published. @throws Error when it does not answer */
  rows(): Promise<number> {
    return metric(this.#metricsPort, 'recency_capture_rows_total');
  }

  /** @throws Error when it does not answer */
  tasks(): Promise<number> {
    return metric(this.#metricsPort, 'recency_capture_tasks_total');
  }
}

/** Resolves when something captures: what is committed from then on reaches the indexes. @throws TookTooLong */
export async function untilCaptured(primary: Database, processGroup: ProcessGroup): Promise<void> {
  const look = () => Promise.race([processGroup.failed, readCapture(primary, 'binlog')]);
  const isCaptured = (saved: { published: number } | undefined) => saved !== undefined && saved.published > 0;
  const options = { everyMs: LOOK_MS, timeoutMs: READY_TIMEOUT_MS };
  await until('The binary log was not captured', look, isCaptured, options);
}

/** A file with this text, which is removed with the resources. */
export function mappingFileOf(text: string, resources: AsyncDisposableStack): string {
  const folder = mkdtempSync(join(tmpdir(), 'recency-mapping-'));
  resources.defer(async () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'capture.yaml');
  writeFileSync(file, text);
  return file;
}
