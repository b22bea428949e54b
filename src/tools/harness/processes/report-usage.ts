/** Preloaded by each process of the harness: says how much processor time and memory it uses, when its parent asks. */
import process from 'node:process';
import { USAGE_QUESTION, type UsageReport } from './usage.ts';

process.on('message', (message) => {
  if (message !== USAGE_QUESTION) return;
  const { user, system } = process.cpuUsage();
  const usage: UsageReport = { cpuMicroseconds: user + system, residentBytes: process.memoryUsage.rss() };
  process.send?.(usage);
});
process.channel?.unref();
