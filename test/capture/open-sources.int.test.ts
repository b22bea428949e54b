import { describe, expect, it, onTestFinished } from 'vitest';
import { parsePosition, positionText } from '../../src/capture/binlog/log-place.ts';
import { BinlogSource } from '../../src/capture/binlog/source.ts';
import { logAnchor } from '../../src/capture/open-sources.ts';
import { readLogEnd, saveCapture } from '../../src/mysql/capture.ts';
import { Database } from '../../src/mysql/database.ts';
import { nextFencingToken } from '../../src/mysql/leases.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import { connectionOptions, LOGGED, loggedMysql, WITH_GTIDS } from '../support/logged-mysql.ts';
import { sql } from '../support/servers.ts';

const never = new AbortController().signal;

for (const [where, args] of [
  ['with GTIDs', WITH_GTIDS],
  ['by file and offset on MySQL', LOGGED],
] as const) {
  describe(`MySQL’s log is compared while Debezium reads it, ${where}`, () => {
    const mysql = loggedMysql(args);

    async function site() {
      const url = await mysql.createDatabase();
      await migrate({ url });
      const database = new Database(url, { connections: 2, queue: 10, deadlineMs: 10_000 });
      onTestFinished(() => database.close());
      const token = await nextFencingToken(database, 'capture', Date.now());
      const own = new URL(url).pathname.slice(1);
      const tables = { own, source: 'debezium', columnsOf: () => undefined };
      const none = { schemas: [], names: [], routines: [] };
      const anchor = logAnchor({
        end: async () => positionText(await readLogEnd(database)),
        open: (position) => {
          const from = parsePosition(position);
          return (
            from &&
            new BinlogSource({ connection: connectionOptions(url), from, tables: { ...tables, ...none }, mapped: [] })
          );
        },
        now: () => performance.now(),
        stallMs: 18_000,
      });
      const write = (nonce: string) => {
        const saved = { server: 'x', position: '', proof: '', mapping: '', published: 0, writes: 0 };
        return saveCapture(database, 'debezium', saved, { lease: 'capture', token }, { nonce, at: Date.now() });
      };
      const reset = async () => {
        const [row] = await sql(url, 'SELECT VERSION() AS version');
        const isMariaDb = String(row?.version).includes('MariaDB');
        await sql(url, isMariaDb ? 'RESET MASTER' : 'RESET BINARY LOGS AND GTIDS');
      };
      return { anchor, write, reset, other: () => sql(url, 'INSERT INTO users (name) VALUES (1)') };
    }

    const saved = (position: string) => ({ server: 'x', position, proof: 'one', mapping: '', published: 0, writes: 0 });

    it('is the same log after other changes, and another one after RESET, however much it has by then', async () => {
      const { anchor, write, reset, other } = await site();
      await write('none');
      const position = await anchor.end();
      await write('one');
      await write('two');
      await other();
      await anchor.prove(saved(position), never);
      await reset();
      for (let i = 0; i < 400; i++) await other();
      await write('three');
      await expect(anchor.prove(saved(position), never)).rejects.toMatchObject({ reason: 'position' });
    }, 60_000);

    it('is another one where no place in it was saved', async () => {
      const { anchor } = await site();
      await expect(anchor.prove(saved('group:x'), never)).rejects.toMatchObject({ reason: 'position' });
    });
  });
}
