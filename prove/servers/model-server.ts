import type { Database } from '../../src/mysql/database.ts';
import { tokenOn } from '../../src/mysql/epoch-token.ts';
import { EpochsSeen } from '../../src/mysql/epochs-seen.ts';
import { proofOf } from '../../src/mysql/session.ts';
import { SETTING } from '../../src/mysql/settings.ts';
import type { Channel, Mark, Rows, ServerName } from './world.ts';

/** The keys of rows. */
export const KEYS = {
  pair: 'pair',
  epoch: 'epoch',
  outbox: 'outbox ',
  setting: 'setting ',
} as const;

const REPLACED = 'mysql:replaced';
const MARKS = 'outbox:others_marks';

export const identityOf = (name: ServerName) => `uuid:${name}`;
export const proofOfServer = (name: ServerName) => proofOf(identityOf(name));

/** Of as many characters as the product's own. */
export const nonceOf = (epoch: number) => `T${epoch}`.padEnd(8, '.');

/** What the first server leaves when it is put on record. */
export const recordOf = (name: ServerName): Rows => ({
  [KEYS.epoch]: tokenOn(proofOfServer(name), nonceOf(0)),
  [KEYS.setting + MARKS]: '{}',
});

/** What begins with this key, and is not deleted, by the rest of the key. */
export function under(rows: Rows, start: string): [string, Rows[string]][] {
  return Object.entries(rows).flatMap(([key, value]): [string, Rows[string]][] =>
    key.startsWith(start) && value !== null ? [[key.slice(start.length), value]] : [],
  );
}

/**
 * A server that answers the statements about who is on record and what others have marked; any other ends the run by name.
 * What is written is kept apart, as the transaction that replicas get.
 */
export class ModelServer {
  readonly #name: ServerName;
  readonly #rows: Rows;
  readonly #channel: Channel | undefined;
  written: Rows = {};

  constructor(name: ServerName, rows: Rows, channel: Channel | undefined) {
    this.#name = name;
    this.#rows = rows;
    this.#channel = channel;
  }

  get database(): Database {
    const ask = async (sql: string, parameters: readonly unknown[]) => this.#answer(sql, parameters);
    const connection = {
      query: async (asked: string | { sql: string; rowsAsArray?: boolean }) => [this.#query(asked)],
      execute: async (sql: string, parameters: readonly (string | number)[]) => [this.#execute(sql, parameters)],
    };
    const database = {
      rows: ask,
      transaction: (work: (on: unknown) => Promise<unknown>) => work(connection),
      renewConnections: () => false,
      epochs: new EpochsSeen(),
      sawReadOnly: () => undefined,
      readOnlyAt: () => undefined,
    };
    return database as unknown as Database;
  }

  get #now(): Rows {
    return { ...this.#rows, ...this.written };
  }

  #query(asked: string | { sql: string; rowsAsArray?: boolean }): unknown[] {
    const sql = typeof asked === 'string' ? asked : asked.sql;
    if (sql.includes("LIKE 'loss:%'")) return []; // no loss is known
    if (sql.startsWith('SHOW ALL REPLICAS'))
      return this.#channel === undefined ? [] : [this.#replication(this.#channel)];
    if (sql.includes('FROM recency_epoch FOR UPDATE')) return [{ token: this.#now[KEYS.epoch] }];
    const rows = this.#answer(sql, []);
    return typeof asked === 'string' ? rows.map(([value]) => ({ value })) : rows;
  }

  #answer(sql: string, [name]: readonly unknown[]): unknown[][] {
    const token = this.#now[KEYS.epoch];
    if (sql.includes('@@global.hostname')) {
      return [[`${proofOfServer(this.#name)}OFF`, identityOf(this.#name), 1, this.#name, token]];
    }
    if (sql.endsWith('FROM recency_epoch AS e')) return [[token, `${proofOfServer(this.#name)}OFF`]];
    if (sql.includes('GROUP BY published_by')) return this.#newestMarks();
    if (sql.includes(`'${MARKS}'`)) return [[proofOfServer(this.#name), token, this.#setting(MARKS)]];
    if (sql === SETTING.read && name === REPLACED) return this.#replaced().map((value) => [value]);
    throw new Error(`the model of a server does not know: ${sql}`);
  }

  #newestMarks(): unknown[][] {
    const marks = under(this.#now, KEYS.outbox).map(([, mark]) => mark as Mark);
    const published = marks.filter((mark) => mark.length > 0);
    const byMark = Map.groupBy(published, ([by]) => by);
    return Array.from(byMark, ([by, some]) => [by, Math.max(...some.map(([, at = 0]) => at))]);
  }

  #setting(name: string) {
    return this.#now[KEYS.setting + name] ?? null;
  }

  #replaced(): unknown[] {
    const value = this.#setting(REPLACED);
    return value === null ? [] : [value];
  }

  #execute(sql: string, [first = '', second = '']: readonly (string | number)[]): unknown[] {
    if (sql === SETTING.read && first === REPLACED) return this.#replaced().map((value) => ({ value }));
    if (sql.startsWith('UPDATE recency_epoch')) this.#write(KEYS.epoch, first);
    else if (sql.includes(`'${MARKS}'`)) this.#write(KEYS.setting + MARKS, first);
    else if (sql === SETTING.write && first === REPLACED) this.#write(KEYS.setting + REPLACED, second);
    else throw new Error(`the model of a server does not know: ${sql}`);
    return [];
  }

  #write(key: string, value: Rows[string]): void {
    this.written = { ...this.written, [key]: value };
  }

  #replication({ received }: Channel) {
    const behind = {
      Source_Log_File: 'log',
      Relay_Source_Log_File: 'log',
      Read_Source_Log_Pos: received,
      Exec_Source_Log_Pos: 0,
    };
    return { Source_Host: 'other', Source_Port: 1, Replica_SQL_Running: 'Yes', ...behind };
  }
}
