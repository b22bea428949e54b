import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { IS_LONG } from './test/support/length.ts';
import LongestFirst from './test/support/longest-first.ts';
import { prepareForServers } from './test/support/servers-environment.ts';

/** Two for each core, because tests wait half of their time: for leases, retention, restarts. */
const maxWorkers = Math.min(8, 2 * availableParallelism());

/** The tests start hundreds of processes of the same source: compiled once, each starts in a third of the time. */
const compileCache = fileURLToPath(new URL('.recency/compile-cache', import.meta.url));

prepareForServers();

/** The product's tests mirror its source; those of a package or an example are in it. */
const everywhere = (name: string) =>
  ['test', 'packages/*/test', 'examples/*/test'].map((folder) => `${folder}/**/${name}`);

/** What `npm run test:long` has besides: docs/testing.md names what shows the same in `npm test`. */
const SERVERS = ['int', 'e2e', ...(IS_LONG ? ['long'] : [])].flatMap((cost) => everywhere(`*.${cost}.test.ts`));

/**
 * Tests that replace a module, or what a process traces with. Each has a worker of its own. The other files share their modules,
 * which halves the processor time of a run.
 */
const ALONE = ['test/index/kinds.int.test.ts', 'test/repair/kinds.int.test.ts', 'test/tracing/*.e2e.test.ts'];

// In a checkout, `npm test` installs the server programs that this machine lacks.
const onServers = {
  env: { NODE_COMPILE_CACHE: compileCache, STACK_INSTALL: 'true' },
  globalSetup: ['test/support/devservers-setup.ts'],
  setupFiles: ['test/support/clean-up.ts'],
};

export default defineConfig({
  test: {
    maxWorkers,
    isolate: false,
    sequence: { sequencer: LongestFirst },
    env: { NODE_COMPILE_CACHE: compileCache },
    // Generous: a busy machine is no defect. What must happen within a time is measured where it happens.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: [
      { extends: true, test: { name: 'unit', include: everywhere('*.unit.test.ts') } },
      { extends: true, test: { ...onServers, name: 'servers', include: SERVERS, exclude: ALONE } },
      { extends: true, test: { ...onServers, name: 'alone', include: ALONE, isolate: true } },
    ],
  },
});
