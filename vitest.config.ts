import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** One more than cores, because tests also wait: for leases, retention, restarts. More would make those that measure wait. */
const maxWorkers = Math.min(4, availableParallelism() + 1);

/** The tests start hundreds of processes of the same source: compiled once, each starts in a third of the time. */
const compileCache = fileURLToPath(new URL('.recency/compile-cache', import.meta.url));

/** The product's tests mirror its source; those of a package or an example are in it. */
const everywhere = (name: string) =>
  ['test', 'packages/*/test', 'examples/*/test'].map((folder) => `${folder}/**/${name}`);

export default defineConfig({
  test: {
    maxWorkers,
    env: { NODE_COMPILE_CACHE: compileCache },
    testTimeout: 90_000,
    hookTimeout: 120_000,
    projects: [
      { extends: true, test: { name: 'unit', include: everywhere('*.unit.test.ts') } },
      {
        extends: true,
        test: {
          name: 'servers',
          // In a checkout, `npm test` installs the server programs that this machine lacks.
          env: { NODE_COMPILE_CACHE: compileCache, STACK_INSTALL: 'true' },
          include: [...everywhere('*.int.test.ts'), ...everywhere('*.e2e.test.ts')],
          globalSetup: ['test/support/devservers-setup.ts'],
        },
      },
    ],
  },
});
