import type { Pool } from 'mysql2/promise';
import { type ColumnValue, Database, type Parameter } from '../../mysql/database.ts';

/** One statement that was asked. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
}

/** A database that remembers what it was asked, so that the same can be asked again with nothing around it. */
export class RecordingDatabase extends Database {
  readonly statements: Statement[] = [];
  /** Statements under way at once, at the most. */
  mostAtOnce = 0;
  #underWay = 0;

  override async rows(...asked: Parameters<Database['rows']>): Promise<readonly (readonly ColumnValue[])[]> {
    const [sql, parameters] = asked;
    this.statements.push({ sql, parameters: [...parameters] });
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#underWay);
    return await super.rows(...asked).finally(() => this.#underWay--);
  }
}

/** Asks bare mysql2, prepared, so many at once: whatever is built on these statements takes longer. */
export async function askAgain(pool: Pool, statements: readonly Statement[], atOnce: number): Promise<void> {
  let next = 0;
  const askOn = async () => {
    const connection = await pool.getConnection();
    try {
      for (let one = statements[next++]; one !== undefined; one = statements[next++]) {
        await connection.execute({ sql: one.sql, rowsAsArray: true }, [...one.parameters]);
      }
    } finally {
      connection.release();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, askOn));
}
