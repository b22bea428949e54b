import type { Pool } from 'mysql2/promise';
import { type ColumnValue, Database, type Parameter } from '../../mysql/database.ts';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
}

/** Records its statements, so that they can be replayed alone. */
export class RecordingDatabase extends Database {
  readonly statements: Statement[] = [];
  /** Maximum number of concurrent statements. */
  mostAtOnce = 0;
  #underWay = 0;

  override async rows(...asked: Parameters<Database['rows']>): Promise<readonly (readonly ColumnValue[])[]> {
    const [sql, parameters] = asked;
    this.statements.push({ sql, parameters: [...parameters] });
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#underWay);
    return await super.rows(...asked).finally(() => this.#underWay--);
  }
}

/** Replays the statements with bare mysql2, prepared: the minimum for whatever is built on them. */
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
