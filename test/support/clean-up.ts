/** Runs before each test file, also where files share their modules. Its hooks come last, after those of the file. */
import process from 'node:process';
import { afterAll, vi } from 'vitest';
import { cleanUp, databasesCreated } from './servers.ts';
import { measureFile } from './test-times.ts';

const report = process.env.TEST_TIMES;
if (report !== undefined) measureFile(report, databasesCreated);

/** Files share a process: what one has put in place of a variable, a global or the clock would reach the next. */
function restoreProcess(): void {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.useRealTimers();
}

afterAll(async () => {
  restoreProcess();
  await cleanUp();
});
