import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { pino } from 'pino';
import { it, onTestFinished } from 'vitest';
import { Renewal } from '../../src/app/renewal.ts';
import { type Config, loadConfig } from '../../src/config/config.ts';
import { until } from '../support/until.ts';

it('a file with tokens that is replaced while a process starts is read again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'renewal-'));
  const file = join(folder, 'tokens');
  process.env.RECENCY_TOKENS_FILE = file;
  onTestFinished(async () => {
    delete process.env.RECENCY_TOKENS_FILE;
    await rm(folder, { recursive: true });
  });
  await writeFile(file, 'the-first-token-of-all:read');
  const renewal = new Renewal(loadConfig(), pino({ level: 'silent' }));
  await writeFile(file, 'the-second-token-of-all:read');
  const renewed: (string | undefined)[] = [];
  renewal.onRenewed(({ tokens }: Config) => renewed.push(tokens?.[0]?.token));
  onTestFinished(renewal.start());
  await until(async () => renewed.includes('the-second-token-of-all'));
});
