import { createConnection } from 'mysql2/promise';
import { DEFAULT_LIMIT } from '../../../contracts/http.ts';
import type { Id } from '../../../contracts/id.ts';
import { CONTACTS } from '../../../contracts/kind.ts';
import type { Database, Parameter } from '../../../mysql/database.ts';
import { EpochsSeen } from '../../../mysql/epochs-seen.ts';
import { setUpSession } from '../../../mysql/session.ts';
import { readCandidates } from '../../../mysql/statements/candidates.ts';
import { KindStatements } from '../../../mysql/statements/kind-statements.ts';
import { SPARE_CANDIDATES } from '../../../query/narrow.ts';
import { USUAL_SITE } from '../../../site/site.ts';
import type { HttpAnswer } from '../../harness/http.ts';
import type { Variant } from '../../harness/latency.ts';
import type { Ground } from '../bench.ts';
import type { Statement } from '../statements.ts';

const USER = /^\/v1\/users\/(\d+)\//;

const ANSWERED: HttpAnswer = { status: 200, body: '' };

export function redisScript({ stores }: Ground): Variant['client'] {
  return {
    get: async (path) => {
      await stores.index.read(userIn(path), 0, true);
      return ANSWERED;
    },
  };
}

/** The narrowed query alone, prepared, on one connection. */
export async function bareSql(
  { stores, namespace, resources }: Ground,
  users: readonly Id[],
): Promise<Variant['client']> {
  const connection = await createConnection({
    uri: namespace.config.mysqlUrl,
    supportBigNumbers: true,
    bigNumberStrings: true,
  });
  resources.defer(() => connection.end());
  await setUpSession(connection, { statementMs: 0 });
  const questions = new Map<Id, Statement>();
  for (const user of users) questions.set(user, await questionOf(stores.index, user));
  return {
    get: async (path) => {
      const question = questions.get(userIn(path));
      if (question === undefined) throw new Error(`nobody knows what to ask for ${path}`);
      await connection.execute({ sql: question.sql, rowsAsArray: true }, [...question.parameters]);
      return ANSWERED;
    },
  };
}

async function questionOf(index: Ground['stores']['index'], user: Id): Promise<Statement> {
  const reading = await index.read(user, DEFAULT_LIMIT + SPARE_CANDIDATES, false);
  if (reading.state !== 'warm') throw new Error(`user ${user} has no index`);
  const asked: Statement[] = [];
  const listening = {
    epochs: new EpochsSeen(),
    rows: async (sql: string, parameters: readonly Parameter[]) => {
      asked.push({ sql, parameters: [...parameters] });
      return [['', '0123456789ab0']];
    },
  } as Pick<Database, 'rows' | 'epochs'> as Database;
  await readCandidates(
    { server: listening, statements: new KindStatements(USUAL_SITE, CONTACTS) },
    user,
    reading.head.map(({ id }) => id),
  );
  const [question] = asked;
  if (question === undefined) throw new Error('the narrowed query asks nothing');
  return question;
}

function userIn(path: string): Id {
  const user = USER.exec(path)?.[1];
  if (user === undefined) throw new Error(`there is no user in ${path}`);
  return user;
}
