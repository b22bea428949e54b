import type { Parameter, ReadOptions } from '../../src/mysql/database.ts';
import { ContactsDatabase } from './contacts-database.ts';
import { closeAtEnd } from './servers.ts';

/** A database on one connection that counts its queries. */
export class CountingDatabase extends ContactsDatabase {
  sent = 0;

  constructor(url: string) {
    super(url, { connections: 1, queue: 1_000, deadlineMs: 60_000 });
    closeAtEnd(() => this.close());
  }

  override rows(statement: string, parameters: readonly Parameter[], options?: ReadOptions) {
    this.sent += 1;
    return super.rows(statement, parameters, options);
  }

  /** Rows of tables and indexes that the server has read on this connection. */
  async rowsRead(): Promise<number> {
    const rows = await super.rows("SHOW SESSION STATUS LIKE 'Handler_read%'", []);
    return rows.reduce((sum, [, count]) => sum + Number(count), 0);
  }
}
