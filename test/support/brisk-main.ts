import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '../../src/cli/program.ts';

/** The command `recency` with short times, for tests of what happens when they are over. Shorter ones are too short for a busy machine. */
export const BRISK = { main: fileURLToPath(import.meta.url) };

if (process.argv[1] === BRISK.main) {
  process.exitCode = await runCommandLine(process.argv.slice(2), {
    stallMs: 8_000,
    samplerLease: { ttlMs: 4_000, retryMs: 500 },
    captureLeaseMs: 2_000,
  });
}
