/**
 * The image's HEALTHCHECK: asks the container's process whether it is ready, and ends with 0 if it is, or if it has nothing to ask;
 * otherwise with 1, and one line that says what is wrong. Which process that is, the command line of process 1 says: it is the same
 * image for all.
 */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { processHealth } from './process-health.ts';

/** Less than the time limit of the HEALTHCHECK in the Dockerfile, ms, so that the reason is seen. */
const LIMIT_MS = 4_000;

const commandLine = readFileSync('/proc/1/cmdline', 'utf8').split('\0');
const { isHealthy, text } = await processHealth(LIMIT_MS, commandLine);
process[isHealthy ? 'stdout' : 'stderr'].write(`${text}\n`);
process.exitCode = isHealthy ? 0 : 1;
