import process from 'node:process';
import { expect, it, vi } from 'vitest';
import { runInProcess } from './in-process.ts';

it('a command in this process leaves its variables as they were, also those that are taken back later', async () => {
  vi.stubEnv('NODE_OPTIONS', '--no-warnings');
  expect(await runInProcess(['--version'], { LOG_LEVEL: 'debug' })).toMatchObject({ code: 0 });
  expect(process.env).toMatchObject({ NODE_OPTIONS: '--no-warnings' });
  expect(process.env).not.toHaveProperty('RECENCY_LOG_LEVEL');
  vi.unstubAllEnvs();
  expect(process.env).not.toHaveProperty('NODE_OPTIONS');
});
