import { onTestFinished } from 'vitest';
import { openTransport } from '../../src/app/transport.ts';
import { loadConfig } from '../../src/config/config.ts';
import { Database } from '../../src/mysql/database.ts';
import type { LanedTransport } from '../../src/transport/transport.ts';
import { logger } from '../transport/place.ts';
import type { Settings } from './cli.ts';

/** What a process with these settings opens first, until the test ends. */
export function openedProcess(settings: Settings & { MYSQL_URL: string }) {
  const environment = Object.entries(settings).map(([name, value]) => [`RECENCY_${name}`, value]);
  const config = loadConfig(Object.fromEntries(environment));
  const resources = new AsyncDisposableStack();
  onTestFinished(() => resources.disposeAsync());
  const primary = resources.adopt(
    new Database(settings.MYSQL_URL, { connections: 4, queue: 100, deadlineMs: 60_000 }),
    (database) => database.close(),
  );
  return { config, logger, resources, primary };
}

/** The same, and a transport whose topics exist. */
export async function readyTransport(settings: Settings & { MYSQL_URL: string }): Promise<LanedTransport> {
  const transport = openTransport(openedProcess(settings), 'test');
  await transport.untilReady(new AbortController().signal);
  return transport;
}
