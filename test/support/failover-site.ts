/** A site in use while its servers fail over: what it commits, what its users are answered, and whether that was right. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'mysql2/promise';
import { expect, onTestFinished } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { mysqlFaultOf } from '../../src/mysql/faults.ts';
import { changeVisibility, deletePhoto, uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { addContact, removeContact } from '../../src/tools/reference-site/relationships.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { readPlainSql } from '../model/plain-sql.ts';
import { type Settings, startProcess } from './cli.ts';
import { type Answer, findWrong, type Sample, type Truth, type Uncertain } from './failover-judge.ts';
import { runInProcess } from './in-process.ts';
import { indexedSite } from './indexed-site.ts';
import { until } from './until.ts';

const USERS: readonly Id[] = Array.from({ length: 12 }, (_, i) => String(i + 1));

/** More than an index holds. */
export const CONTACTS: readonly Id[] = Array.from({ length: 14 }, (_, i) => String(i + 101));
export const INDEXES = { MAX: '12', MIN: '10' };

/** Rows of an answer. */
const LIMIT = 5;

/** Photos of each contact at most: plain SQL over all of them is asked many times a second. */
const PHOTOS = 3;

/** Exact answers that are judged at least, and how many reads wait for theirs at once. */
const JUDGED = 2_000;
const READERS = 2;

/** Between two changes, and between two reads, ms: what is tested needs the processor too. */
const PAUSE_MS = 20;

const pick = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T;

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** Every contact is of one writer. */
const shareOf = (writer: number, writers: number, contacts: readonly Id[]): readonly Id[] =>
  contacts.filter((contact) => CONTACTS.indexOf(contact) % writers === writer);

interface Writer {
  readonly pool: Pool;
  /** Whose photos and relationships it changes: nobody else does. */
  owners: readonly Id[];
  /** By owner, what it has uploaded and not deleted. */
  readonly photos: Map<Id, Id[]>;
}

export interface FailoverOptions {
  readonly settings: Settings & { readonly MYSQL_URL: string };
  /** Where the site writes, everywhere at once; `MYSQL_URL` by default. */
  readonly writeTo?: readonly string[];
  /** What the sessions begin with that read the truth. */
  readonly setUp?: string;
}

export class FailoverSite {
  readonly #settings: Settings;
  readonly #api: string;
  readonly #truth: Pool;
  readonly #writers: readonly Writer[];
  readonly #samples: Sample[] = [];
  readonly #failed: Omit<Uncertain, 'until'>[] = [];
  readonly #uncertain: Uncertain[] = [];
  readonly #answers: Answer[] = [];
  readonly #latest = new Map<Id, Answer>();
  /** When each request was sent that was refused with 503, ms since 1970 UTC. */
  readonly #refused: number[] = [];
  readonly #errors: unknown[] = [];
  #isWriting = true;
  #isReading = true;
  #newest = 0;
  #rounds = 0;
  #writing = Promise.resolve();
  #reading: readonly Promise<void>[] = [];
  #ended: Promise<void> | undefined;

  private constructor(api: string, { settings, writeTo = [settings.MYSQL_URL], setUp = 'DO 0' }: FailoverOptions) {
    this.#settings = settings;
    this.#api = api;
    this.#truth = openSitePool(settings.MYSQL_URL, 1);
    this.#truth.on('connection', (connection) => void connection.query(setUp));
    this.#writers = writeTo.map((url, i) => ({
      pool: openSitePool(url, 2),
      owners: shareOf(i, writeTo.length, CONTACTS),
      photos: new Map(),
    }));
  }

  async #begin(): Promise<void> {
    await this.#sample();
    this.#writing = this.#repeat(
      () => this.#isWriting,
      () => this.#write(),
    );
    const read = () =>
      this.#repeat(
        () => this.#isReading,
        () => this.#read(),
      );
    this.#reading = Array.from({ length: READERS }, read);
    await this.#isBack(Date.now());
  }

  /** Starts the processes, writes, reads, and returns once everybody's answers are exact and from an index. */
  static async open(options: FailoverOptions): Promise<FailoverSite> {
    const settings = { ...options.settings, ...INDEXES, SAMPLE_RATE: '0' };
    await indexedSite(settings, USERS, CONTACTS);
    const starting = (['serve', 'consume', 'relay'] as const).map((command) => startProcess(command, settings));
    const [serve] = await Promise.all(starting);
    const api = String(/"address":"(http:[^"]+)"/.exec(serve?.stdout ?? '')?.[1]);
    const site = new FailoverSite(api, { ...options, settings });
    onTestFinished(() => site.#end());
    await site.#begin();
    return site;
  }

  /** From now on the site changes only these contacts, or none. What it was changing is committed when this returns. */
  async changeOnly(owners: readonly Id[]): Promise<void> {
    for (const [i, writer] of this.#writers.entries()) writer.owners = shareOf(i, this.#writers.length, owners);
    await this.more(1);
  }

  /** Waits for this many changes of each writer more, whether or not they succeed. */
  async more(changes: number): Promise<void> {
    const rounds = this.#rounds + changes + 1; // the one under way may have begun before
    await this.#until(() => this.#rounds >= rounds, `${changes} changes`);
  }

  /**
   * Waits until everybody's index answers, and has what was committed after that moment. Prints how long that took.
   * @param since ms since 1970 UTC: when the fault began
   */
  async restored(what: string, since: number): Promise<void> {
    await this.#isBack(since);
    const took = Date.now() - since;
    const meanwhile = this.#answers.filter(({ sentAt }) => sentAt > since);
    const inexact = meanwhile.filter(({ exact }) => !exact);
    const refused = this.#refused.filter((sentAt) => sentAt > since);
    const last = Math.max(since, ...inexact.map(({ arrivedAt }) => arrivedAt), ...refused);
    console.log(
      `${what}: everybody has an index again after ${seconds(took)}, the last answer that was not exact came after ${seconds(last - since)} ` +
        `(of ${meanwhile.length + refused.length} reads ${inexact.length} not exact, ${refused.length} × 503)`,
    );
  }

  /** Waits until answers say that they are not exact, because changes no longer arrive. */
  async lags(): Promise<void> {
    await this.#until(() => USERS.every((user) => this.#latest.get(user)?.exact === false), 'nobody’s answer is exact');
  }

  /** Waits until nobody is answered from an index. */
  async plain(): Promise<void> {
    const isPlain = (user: Id) => this.#latest.get(user)?.source === 'database';
    await this.#until(() => USERS.every(isPlain), 'everybody is answered by plain SQL');
  }

  /** Ends the changes. Every exact answer was right, and everybody's last one is exact and what plain SQL says. */
  async finish(what: string): Promise<void> {
    await this.#until(() => this.#answers.filter(({ exact }) => exact).length >= JUDGED, `${JUDGED} exact answers`);
    this.#isWriting = false;
    await this.#writing;
    const truth = await this.#readTruth();
    const isLast = (user: Id) => {
      const { exact = false, source = '', rows = [] } = this.#latest.get(user) ?? {};
      return exact && source === 'index' && JSON.stringify(rows) === JSON.stringify(pageOf(truth, user));
    };
    await this.#until(() => USERS.every(isLast), 'everybody’s answer is what plain SQL says');
    await this.#end();

    const judged = this.#answers.filter(({ exact }) => exact);
    const record = { contacts: CONTACTS, samples: this.#samples, uncertain: this.#uncertain, limit: LIMIT };
    const wrong = judged.flatMap((answer) => {
      const found = findWrong(answer, record);
      return found === undefined ? [] : [`${found}: ${JSON.stringify(answer)}`];
    });
    console.log(
      `${what}: ${wrong.length} wrong of ${judged.length} exact answers, of ${this.#answers.length} in all, ` +
        `judged by ${this.#samples.length} samples of plain SQL`,
    );
    expect(wrong.slice(0, 5)).toEqual([]);
    const { stdout } = await runInProcess(['verify', '--json'], this.#settings);
    expect(JSON.parse(stdout)).toMatchObject({ warm: USERS.length, wrong: 0, unsettled: 0, answers_wrong: 0 });
    expect((await runInProcess(['dlq', 'list'], this.#settings)).stdout).toBe('There are no dead letters.\n');
  }

  #isBack(since: number): Promise<void> {
    const isBackFor = (user: Id) => {
      const latest = this.#latest.get(user);
      return latest?.exact === true && latest.source === 'index' && latest.upTo > since;
    };
    return this.#until(() => USERS.every(isBackFor), 'everybody’s index answers, exactly');
  }

  async #until(condition: () => boolean, what: string): Promise<void> {
    await until(() => this.#errors.length > 0 || condition(), { timeout: 240_000, interval: 50, what });
    if (this.#errors.length > 0) throw this.#errors[0];
  }

  #end(): Promise<void> {
    this.#ended ??= this.#close();
    return this.#ended;
  }

  async #close(): Promise<void> {
    this.#isWriting = false;
    this.#isReading = false;
    await Promise.all([this.#writing, ...this.#reading]);
    await Promise.all([this.#truth, ...this.#writers.map(({ pool }) => pool)].map((pool) => pool.end()));
    if (this.#errors.length > 0) throw this.#errors[0];
  }

  async #repeat(goesOn: () => boolean, work: () => Promise<void>): Promise<void> {
    while (goesOn() && this.#errors.length === 0) {
      await work().catch((error: unknown) => this.#errors.push(error));
      await pause(PAUSE_MS);
    }
  }

  /** One change by each writer, and then the truth: so each state of a contact is in a sample. */
  async #write(): Promise<void> {
    await Promise.all(this.#writers.map((writer) => this.#change(writer)));
    await this.#sample();
    this.#rounds += 1;
  }

  async #sample(): Promise<void> {
    const begun = Date.now();
    const truth = await this.#readTruth().catch(unlessUnavailable);
    if (truth === undefined) return;
    this.#samples.push({ begun, ended: Date.now(), truth });
    for (const one of this.#failed.splice(0)) this.#uncertain.push({ ...one, until: begun });
  }

  async #readTruth(): Promise<Truth> {
    const everybody = await readPlainSql(this.#truth);
    return new Map([...everybody].map(([user, rows]) => [user, new Map(rows.map(({ id, at }) => [id, at]))]));
  }

  async #change({ pool, owners, photos }: Writer): Promise<void> {
    if (owners.length === 0) return;
    const [user, contact] = [pick(USERS), pick(owners)];
    const theirs = photos.get(contact) ?? [];
    photos.set(contact, theirs);
    const [photo] = theirs;
    const upload = async () => {
      this.#newest = Math.max(this.#newest + 1, Date.now());
      theirs.push(await uploadPhoto(pool, contact, pick([0, 0, 0, 4]), this.#newest));
    };
    const remove = async (one: Id) => {
      await deletePhoto(pool, one);
      theirs.shift();
    };
    const moves: (() => Promise<unknown>)[] = [
      upload,
      upload,
      () => removeContact(pool, user, contact),
      () => addContact(pool, user, contact),
      ...(photo === undefined ? [] : [() => changeVisibility(pool, photo, pick([0, 4])), () => remove(photo)]),
    ];
    const from = Date.now();
    try {
      await (photo !== undefined && theirs.length > PHOTOS ? remove(photo) : pick(moves)());
    } catch (error) {
      unlessUnavailable(error);
      this.#failed.push({ contact, from });
    }
  }

  async #read(): Promise<void> {
    const user = pick(USERS);
    const sentAt = Date.now();
    const response = await fetch(`${this.#api}/v1/users/${user}/contacts/recent?limit=${LIMIT}`);
    const body = (await response.json()) as Body;
    if (response.status === 503) this.#refused.push(sentAt);
    else if (response.status !== 200) throw new Error(`${response.status}: ${JSON.stringify(body)}`);
    else {
      const { exact, source, as_of, lag_ms } = body.answer;
      const rows = body.contacts.map(({ id, last_upload_at }) => ({ id, at: Date.parse(last_upload_at) }));
      const upTo = Date.parse(as_of) - (lag_ms ?? Number.NaN);
      const answer = { user, sentAt, arrivedAt: Date.now(), rows, exact, source, upTo };
      this.#answers.push(answer);
      this.#latest.set(user, answer);
    }
  }
}

interface Body {
  readonly contacts: readonly { readonly id: Id; readonly last_upload_at: string }[];
  readonly answer: {
    readonly exact: boolean;
    readonly source: string;
    readonly as_of: string;
    readonly lag_ms: number | null;
  };
}

function pageOf(truth: Truth, user: Id): Answer['rows'] {
  const rows = [...(truth.get(user) ?? [])].map(([id, at]) => ({ id, at }));
  return rows.sort((a, b) => b.at - a.at).slice(0, LIMIT);
}

/** The servers are away, or refuse for now; anything else is a defect of the test. */
function unlessUnavailable(error: unknown): undefined {
  const fault = mysqlFaultOf(error);
  if (fault === 'away' || fault === 'session' || fault === 'slow') return undefined;
  throw error;
}
