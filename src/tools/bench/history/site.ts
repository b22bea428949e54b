/** The site of a history: its tables, capture, and who judges them. */
import type { Connection, RowDataPacket } from 'mysql2/promise';
import type { Logger } from 'pino';
import { parseMapping } from '../../../capture/mapping-file.ts';
import type { RunningServer } from '../../devservers/start-server.ts';
import { poll } from '../../harness/poll.ts';
import { type CapturedHere, captureHere, type Said } from './captured.ts';
import { HistoryJudge, UNLOGGED } from './judge.ts';
import { makeDatabase, SCHEMA, session } from './sessions.ts';
import { BASE, BASE_ROWS, BASE_TABLES, type HistoryMove, type HistoryStep } from './statements.ts';

export interface SiteOptions {
  readonly server: RunningServer;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/** What a history came to. */
export interface HistoryResult {
  /** Changes of a pair that were judged. */
  readonly changes: number;
  readonly epochs: number;
  /** Changes that nobody was told of, for people. */
  readonly missed: readonly string[];
}

const MAPPING = 'version: 1\ntables:\n  - { table: t, hint: contact, user: a, contact: b }\n';
/** The user of the changes that mark the end of a history. */
const MARK = 9_999;
/** Contacts of the marks are above it. */
const MARKED = 100_000;
const MARK_AGAIN_MS = 100;
const TIMEOUT_MS = 60_000;
/** For locks of sessions that are ending, s. */
const JUDGE_WAITS_S = 5;

export class HistorySite implements AsyncDisposable {
  readonly #options: SiteOptions;
  readonly #url: string;
  readonly #said: Said = { hints: [], epochs: [], gaps: [], echoes: 0 };
  /** The tables as BASE makes them. */
  #base: string | undefined;
  #capture: CapturedHere | undefined;
  #judge: Connection;
  #mark = 0;

  private constructor(options: SiteOptions, url: string, judge: Connection) {
    this.#options = options;
    this.#url = url;
    this.#judge = judge;
  }

  static async open(options: SiteOptions): Promise<HistorySite> {
    const url = new URL(options.server.url);
    url.pathname = `/${SCHEMA}`;
    await makeDatabase(url.href);
    return new HistorySite(options, url.href, await session(url.href, JUDGE_WAITS_S));
  }

  async history(moves: readonly HistoryMove[]): Promise<HistoryResult> {
    await this.#begin();
    const before = this.#said.epochs.length;
    const judge = await HistoryJudge.of(() => this.#rows(), this.#said);
    for (const move of moves) {
      if (move.does === 'step') await this.#step(move.step, judge);
      else await judge.during(move.does, () => this.#do(move.does));
    }
    await judge.during('XA COMMIT of what was left prepared', () => this.#endPrepared('COMMIT'));
    await this.#settle();
    return { ...judge.verdict(), epochs: this.#said.epochs.length - before };
  }

  /** A history that does not come to its end is a finding; the next one begins without what it has left. */
  async startAgain(error: unknown): Promise<HistoryResult> {
    this.#options.signal.throwIfAborted();
    await this.#stop();
    await this.#run(['DELETE FROM recency_capture']);
    return { changes: 0, epochs: 0, missed: [String(error)] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#capture?.stop();
    await this.#judge.end().catch(() => undefined);
  }

  /** The tables as they are at the start of every history, and capture at work. */
  async #begin(): Promise<void> {
    await this.#endPrepared('ROLLBACK');
    // Made again only where a history has changed them: that is a gap.
    if (this.#base === undefined || (await this.#shape()) !== this.#base) {
      // A server that is killed while it changes partitions may leave files that are in the way of the same table.
      await this.#makeTables().catch(() => this.#beginAgain());
      this.#base = await this.#shape();
    }
    for (const statement of BASE_ROWS) await this.#judge.query(statement);
    this.#said.hints.length = 0;
    await this.#start();
    await this.#settle();
    this.#said.hints.length = 0;
  }

  async #makeTables(): Promise<void> {
    for (const statement of BASE) await this.#judge.query(statement);
  }

  /** In a new database, which has no such files. */
  async #beginAgain(): Promise<void> {
    await this.#stop();
    await makeDatabase(this.#url);
    await this.#judge.query(`USE ${SCHEMA}`);
    await this.#makeTables();
  }

  async #start(): Promise<void> {
    const mapping = parseMapping(MAPPING, { file: 'capture.yaml', schema: SCHEMA });
    this.#capture ??= await captureHere(this.#url, mapping, this.#said, this.#options.logger);
  }

  async #stop(): Promise<void> {
    await this.#capture?.stop();
    this.#capture = undefined;
  }

  /** A session of its own, as each job of a site has. */
  async #step({ name, statements }: HistoryStep, judge: HistoryJudge): Promise<void> {
    const isMariaDb = this.#options.server.facts.product === 'MariaDB';
    const connection = await session(this.#url);
    try {
      for (const [i, statement] of statements.entries()) {
        const soFar = statements.slice(0, i + 1).join('; ');
        const failed = () => (isMariaDb && /\bTRUNCATE\b/.test(statement) ? UNLOGGED : undefined);
        await judge.during(`${name}: ${soFar}`, () => connection.query(statement).catch(failed));
      }
    } finally {
      await connection.end().catch(() => undefined);
    }
  }

  async #run(statements: readonly string[]): Promise<void> {
    const connection = await session(this.#url);
    try {
      for (const statement of statements) await connection.query(statement).catch(() => undefined);
    } finally {
      await connection.end().catch(() => undefined);
    }
  }

  async #do(what: Exclude<HistoryMove['does'], 'step'>): Promise<void> {
    const { server } = this.#options;
    if (what === 'stop capture') return this.#stop();
    if (what === 'restart capture') {
      await this.#stop();
      return this.#start();
    }
    if (what === 'kill connection') return this.#killDumps();
    if (what === 'purge logs') {
      await this.#run(['FLUSH BINARY LOGS', 'PURGE BINARY LOGS BEFORE NOW() + INTERVAL 1 DAY']);
      return;
    }
    if (what === 'reset log') return this.#run(['RESET MASTER', 'RESET BINARY LOGS AND GTIDS']);
    if (what === 'kill server') await server.kill();
    await server.restart();
    await this.#judge.end().catch(() => undefined);
    this.#judge = await session(this.#url, JUDGE_WAITS_S);
  }

  async #killDumps(): Promise<void> {
    const [dumps] = await this.#judge.query<RowDataPacket[]>(
      "SELECT id FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'",
    );
    await this.#run(dumps.map(({ id }) => `KILL ${id}`));
  }

  /** What is prepared keeps its locks. */
  async #endPrepared(how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    const [prepared] = await this.#judge.query<RowDataPacket[]>('XA RECOVER');
    await this.#run(prepared.map(({ data }) => `XA ${how} '${data}'`));
  }

  /**
   * Everything before has come through: changes of the runner's own are the last, until one of them is told. Those of an
   * earlier call, which may be told only now, do not count. Then a write of capture's own must come back: what it was told before
   * may be of another log, which only that write shows (log-proof.ts).
   */
  async #settle(): Promise<void> {
    await this.#start();
    const first = this.#mark + 1;
    let writtenAt = -Infinity;
    let echoesBefore: number | undefined;
    const isTold = async () => {
      if (echoesBefore !== undefined) return this.#said.echoes > echoesBefore;
      const marks = this.#said.hints.filter((pair) => pair.startsWith(`${MARK} `));
      if (marks.some((pair) => Number(pair.split(' ')[1]) - MARKED >= first)) {
        echoesBefore = this.#said.echoes;
        return false;
      }
      // Again, because a gap passes over what was written before.
      if (performance.now() < writtenAt + MARK_AGAIN_MS) return false;
      this.#mark += 1;
      const mark = `REPLACE INTO t (a, b) VALUES (${MARK}, ${MARKED + this.#mark})`;
      for (const text of [mark, `DELETE FROM t WHERE a = ${MARK}`]) {
        await this.#judge.query(text).catch(() => undefined);
      }
      writtenAt = performance.now();
      return false;
    };
    const told = await poll(isTold, (is) => is, { everyMs: 10, timeoutMs: TIMEOUT_MS, signal: this.#options.signal });
    if (!told) throw new Error('capture does not come to the end of a history');
  }

  /** How the tables were made. */
  async #shape(): Promise<string> {
    const made = [];
    for (const table of BASE_TABLES) {
      const [rows] = await this.#judge.query<RowDataPacket[]>(`SHOW CREATE TABLE ${table}`).catch(() => [[]] as never);
      made.push(rows);
    }
    return JSON.stringify(made);
  }

  /** By pair, the rest of the row; without the marks. Empty: the table is gone, or has another shape. */
  async #rows(): Promise<ReadonlyMap<string, string>> {
    const text = `SELECT CONCAT(a, ' ', b), c FROM t WHERE a <> ${MARK}`;
    const [rows] = await this.#judge
      .query<RowDataPacket[]>({ sql: text, rowsAsArray: true })
      .catch(() => [[]] as never);
    return new Map((rows as unknown as unknown[][]).map(([pair, rest]) => [String(pair), String(rest)]));
  }
}
