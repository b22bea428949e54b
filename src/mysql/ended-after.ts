const SELECT = 'SELECT';

/**
 * The statement with a time limit that the server enforces. MariaDB and MySQL write it differently, and each takes the
 * other's syntax for a comment.
 * @throws RangeError when it does not begin with SELECT, which is where MySQL reads the limit
 */
export function endedAfter(ms: number, statement: string): string {
  const text = statement.trimStart();
  if (!text.startsWith(SELECT)) throw new RangeError(`only a SELECT has a time limit: ${text.slice(0, 40)}`);
  const limited = `${SELECT} /*+ MAX_EXECUTION_TIME(${Math.ceil(ms)}) */${text.slice(SELECT.length)}`;
  return `/*M! SET STATEMENT max_statement_time=${ms / 1000} FOR */ ${limited}`;
}
