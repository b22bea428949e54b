import type { Knex } from 'knex';

/** Rows of a statement on the schema, each an object by column; knex's `raw` gives the driver's [rows, fields]. */
export async function selectRows<Row>(knex: Knex, statement: string, parameters: string[] = []): Promise<Row[]> {
  const [rows] = (await knex.raw(statement, parameters)) as [Row[], unknown];
  return rows;
}
