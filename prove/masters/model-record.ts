import type { Database } from '../../src/mysql/database.ts';
import { EpochsSeen } from '../../src/mysql/epochs-seen.ts';
import { SETTING } from '../../src/mysql/settings.ts';
import { proofOfServer } from '../servers/model-server.ts';
import type { ServerName } from '../servers/world.ts';
import type { MastersWorld } from './world.ts';

/** MySQL, which answers the statements about the masters on record; any other ends the run by name. */
export class ModelRecord {
  token: string;
  settings: Readonly<Record<string, string>>;

  readonly #server: string;

  constructor({ token, settings }: Pick<MastersWorld, 'token' | 'settings'>, server: ServerName = 'A') {
    this.#server = proofOfServer(server);
    this.token = token;
    this.settings = settings;
  }

  get database(): Database {
    const connection = {
      query: async (sql: string) => [this.#query(sql)],
      execute: async (sql: string, parameters: readonly string[]) => [this.#execute(sql, parameters)],
    };
    const database = {
      rows: async (sql: string) => this.#rows(sql),
      transaction: (work: (on: unknown) => Promise<unknown>) => work(connection),
      epochs: new EpochsSeen(),
    };
    return database as unknown as Database;
  }

  #rows(sql: string): unknown[][] {
    if (!sql.includes("LEFT JOIN recency_settings AS s ON s.name LIKE 'redis:%'")) throw unknown(sql);
    const server = [this.token, `${this.#server}OFF`];
    const found = Object.entries(this.settings).map((setting) => [...setting, ...server]);
    return found.length > 0 ? found : [[null, null, ...server]];
  }

  #query(sql: string): unknown[] {
    if (sql.includes("LIKE 'loss:%'")) return []; // no loss is known
    if (sql.includes('FROM recency_epoch FOR UPDATE')) return [{ token: this.token }];
    throw unknown(sql);
  }

  #execute(sql: string, [first = '', second = '']: readonly string[]): unknown[] {
    if (sql === SETTING.read) return first in this.settings ? [{ value: this.settings[first] }] : [];
    if (sql === SETTING.write) this.settings = { ...this.settings, [first]: second };
    else if (sql.startsWith('UPDATE recency_epoch')) this.token = first;
    else throw unknown(sql);
    return [];
  }
}

function unknown(sql: string): Error {
  return new Error(`the model of MySQL does not know: ${sql}`);
}
