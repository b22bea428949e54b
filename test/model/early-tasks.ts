import type { Id } from '../../src/contracts/id.ts';
import type { Database } from '../../src/mysql/database.ts';
import type { OutgoingTask } from '../../src/transport/task-publisher.ts';
import { canRelate, type Move, type Relating } from './moves.ts';
import type { Site } from './site.ts';

const VERSION = 'SELECT version FROM contacts WHERE user_id = ? AND contact_id = ?';

// The transaction writes a task of its own as well; here only the early one is to count.
const WITHOUT_ITS_OWN = `
  UPDATE recency_outbox SET published_at = 1
  WHERE user_id = ? AND other_id = ? AND version = ? AND is_recheck = FALSE AND type LIKE 'recency.contact.%'`;

// No re-check of an open transaction reaches its last attempt: real transactions do not take that long.
const DUE = 'UPDATE recency_outbox SET due_at = 1 WHERE is_recheck = TRUE AND attempt <= ?';
const LOOKS_WHILE_UNDER_WAY = 8;
const ANY = 1_000;

function isOfAUser(made: Move): made is Move & { readonly kind: 'leave' | 'join' | 'suspend' | 'readmit' } {
  return ['leave', 'join', 'suspend', 'readmit'].includes(made.kind);
}

interface Early {
  readonly made: Relating;
  readonly version: string;
}

/** Changes of relationships whose tasks are sent before their transactions are committed. */
export class EarlyTasks {
  readonly #site: Site;
  readonly #database: Database;
  #underWay: Early[] = [];
  #count = 0;

  constructor(site: Site, database: Database) {
    this.#site = site;
    this.#database = database;
  }

  /** The transaction locks the row of its relationship and the two users. */
  isHeld(made: Move): boolean {
    return this.#underWay.some(({ made: { user, contact } }) => {
      if (isOfAUser(made)) return made.user === user || made.user === contact;
      return 'contact' in made && made.user === user && made.contact === contact;
    });
  }

  /** Begins the transaction. Returns the task to send before its commit; undefined: it is not possible. */
  async begin(made: Relating): Promise<OutgoingTask | undefined> {
    if (this.isHeld(made) || !canRelate(made, this.#site)) return undefined;
    const version = String(BigInt(await this.#version(made.user, made.contact)) + 1n);
    this.#underWay.push({ made, version });
    const { user, contact } = made;
    const type =
      `recency.contact.${({ add: 'added', change: 'changed', remove: 'removed' } as const)[made.kind]}` as const;
    const id = `early:${++this.#count}`;
    return { task: { type, user, contact, version }, id, source: '/test/early', time: Date.now() };
  }

  /** Commits the nth transaction. @param commit does it @throws Error when the change is not the announced one */
  async end(nth: number, commit: (made: Move) => Promise<void>): Promise<void> {
    const early = this.#underWay[nth % Math.max(1, this.#underWay.length)];
    if (early === undefined) return;
    this.#underWay = this.#underWay.filter((other) => other !== early);
    const { user, contact } = early.made;
    await commit(early.made);
    const version = await this.#version(user, contact);
    if (version !== early.version) throw new Error(`the version of ${user} → ${contact} is ${version}`);
    await this.#database.write(WITHOUT_ITS_OWN, [user, contact, version]);
  }

  async endAll(commit: (made: Move) => Promise<void>): Promise<void> {
    while (this.#underWay.length > 0) await this.end(0, commit);
  }

  /** Makes re-checks due now. */
  async letTimePass(): Promise<void> {
    await this.#database.write(DUE, [this.#underWay.length > 0 ? LOOKS_WHILE_UNDER_WAY : ANY]);
  }

  async #version(user: Id, contact: Id): Promise<string> {
    const [row] = await this.#database.rows(VERSION, [user, contact]);
    return String(row?.[0] ?? 0);
  }
}
