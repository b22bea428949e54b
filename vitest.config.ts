import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** More workers than cores only make the servers wait, and timing tests with them. */
const maxWorkers = Math.max(1, Math.min(4, availableParallelism()));

export default defineConfig({
  test: {
    maxWorkers,
    testTimeout: 90_000,
    hookTimeout: 120_000,
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/**/*.unit.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'servers',
          // In a checkout, `npm test` installs the server programs that this machine lacks.
          env: { STACK_INSTALL: 'true' },
          include: ['test/**/*.int.test.ts', 'test/**/*.e2e.test.ts'],
          globalSetup: ['test/support/devservers-setup.ts'],
        },
      },
    ],
  },
});
