/** Preloaded by each process of the harness: says how much processor time and memory it uses, when its parent asks. */
import process from 'node:process';

/** Of the whole process. */
export interface UsageReport {
  /** Since its start, µs. */
  readonly cpuMicroseconds: number;
  readonly residentBytes: number;
}

export const USAGE_QUESTION = 'usage?';

process.on('message', (message) => {
  if (message !== USAGE_QUESTION) return;
  const { user, system } = process.cpuUsage();
  const usage: UsageReport = { cpuMicroseconds: user + system, residentBytes: process.memoryUsage.rss() };
  process.send?.(usage);
});
process.channel?.unref();
