/**
 * Runs SQL in one transaction at RECENCY_MYSQL_URL, for who follows docs/tutorial.md and has no client of MySQL:
 * `node scripts/sql.ts "SELECT 1" "SELECT 2"`. Prints the rows as JSON, a line each.
 */
import process from 'node:process';
import { createConnection } from 'mysql2/promise';

const { RECENCY_MYSQL_URL: url } = process.env;
const statements = process.argv.slice(2);
if (url === undefined || statements.length === 0) {
  console.error('Usage: RECENCY_MYSQL_URL=mysql://… node scripts/sql.ts "STATEMENT" …');
  process.exit(2);
}
const connection = await createConnection(url);
try {
  await connection.beginTransaction();
  for (const statement of statements) {
    const [result] = await connection.query(statement);
    if (Array.isArray(result)) for (const row of result) console.log(JSON.stringify(row));
  }
  await connection.commit();
} finally {
  await connection.end(); // without a commit, the server rolls back
}
