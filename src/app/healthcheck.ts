/**
 * The image's HEALTHCHECK: asks the container's process whether it is ready, and ends with 0 if it is, or if it has nothing to ask.
 * Which process that is, the command line of process 1 says: it is the same image for all.
 */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { readinessUrl } from '../config/readiness-url.ts';

/** Less than the time limit of the HEALTHCHECK in the Dockerfile, ms, so that the reason is seen. */
const LIMIT_MS = 4_000;

const url = readinessUrl(readFileSync('/proc/1/cmdline', 'utf8').split('\0'));
if (url !== undefined) {
  const response = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) });
  process.stdout.write(`${response.status} ${await response.text()}\n`);
  process.exitCode = response.ok ? 0 : 1;
}
