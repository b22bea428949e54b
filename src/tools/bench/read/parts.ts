import { createConnection } from 'mysql2/promise';
import { DEFAULT_LIMIT } from '../../../contracts/http.ts';
import type { Id } from '../../../contracts/id.ts';
import { readCandidates } from '../../../mysql/contacts.ts';
import type { Database, Parameter } from '../../../mysql/database.ts';
import { setUpSession } from '../../../mysql/session.ts';
import type { HttpAnswer } from '../../harness/http.ts';
import type { Ground } from '../bench.ts';

export interface PartClient {
  get(path: string): Promise<HttpAnswer>;
}

const USER = /^\/v1\/users\/(\d+)\//;

const SPARE_CANDIDATES = 2;

const ANSWERED: HttpAnswer = { status: 200, body: '' };

export function redisScript({ stores }: Ground): PartClient {
  return {
    get: async (path) => {
      await stores.index.read(userIn(path), 0, true);
      return ANSWERED;
    },
  };
}

/** The narrowed query alone, prepared, on one connection. */
export async function bareSql({ stores, namespace, resources }: Ground, users: readonly Id[]): Promise<PartClient> {
  const connection = await createConnection({
    uri: namespace.config.mysqlUrl,
    supportBigNumbers: true,
    bigNumberStrings: true,
  });
  resources.defer(() => connection.end());
  await setUpSession(connection, { statementMs: 0 });
  const questions = new Map<Id, Question>();
  for (const user of users) questions.set(user, await questionOf(stores.index, user));
  return {
    get: async (path) => {
      const question = questions.get(userIn(path));
      if (question === undefined) throw new Error(`nobody knows what to ask for ${path}`);
      await connection.execute({ sql: question.sql, rowsAsArray: true }, question.parameters);
      return ANSWERED;
    },
  };
}

interface Question {
  readonly sql: string;
  readonly parameters: Parameter[];
}

async function questionOf(index: Ground['stores']['index'], user: Id): Promise<Question> {
  const reading = await index.read(user, DEFAULT_LIMIT + SPARE_CANDIDATES, false);
  if (reading.state !== 'warm') throw new Error(`user ${user} has no index`);
  const asked: Question[] = [];
  const listening = {
    proofUnder: async () => '',
    rows: async (sql: string, parameters: readonly Parameter[]) => {
      asked.push({ sql, parameters: [...parameters] });
      return [['', '0123456789ab0']];
    },
  } as Pick<Database, 'rows' | 'proofUnder'> as Database;
  await readCandidates(
    listening,
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
