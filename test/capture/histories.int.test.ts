import { describe, expect, it } from 'vitest';
import { LOGGED_SERVER } from '../../src/tools/bench/history/history.ts';
import { runHistories } from '../../src/tools/bench/history/run.ts';
import { silent } from '../support/outbox-bench.ts';
import { OwnMysql } from '../support/own-mysql.ts';

/** `npm run bench -- history` runs 10,000. */
const HISTORIES = 12;

describe('random histories of a captured server', () => {
  const mysql = new OwnMysql(LOGGED_SERVER);

  it('leave no change untold', async ({ signal }) => {
    const { findings, changes } = await runHistories({
      ...{ server: mysql.server, histories: HISTORIES, signal, logger: silent, progress: () => undefined },
      seed: Date.now() % 1_000_000,
    });
    expect(findings).toEqual([]);
    expect(changes).toBeGreaterThan(HISTORIES);
  }, 300_000);
});
