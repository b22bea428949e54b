import type { Database } from '../mysql/database.ts';
import { TopContactsReader } from '../mysql/top-contacts.ts';
import type { RedisClient } from '../redis/connection.ts';
import { FORGOTTEN_MS } from './contact-index.ts';
import type { DelayedWork } from './deferred-work.ts';
import type { Steps } from './protocol.ts';
import { Rechecks } from './rechecks.ts';
import { type ContactIndexOptions, RedisContactIndex } from './redis/redis-contact-index.ts';
import { RedisFanOutCursors } from './redis/redis-fan-out-cursors.ts';
import { systemOfRecord } from './system-of-record.ts';

export interface StepsOptions extends ContactIndexOptions {
  /** For a statement that reads all contacts of one user, while tasks wait, ms (5,000). */
  readonly aloneMs?: number;
  /** The same, where nothing waits for it, ms (60,000). */
  readonly patientMs?: number;
}

const ALONE_MS = 5_000;

const PATIENT_MS = 60_000;

/** Much longer than it takes to drop a user's work; whoever ends in between blocks no build for longer, ms. */
const HARD_MS = 60_000;

export interface RealSteps extends Steps {
  readonly index: RedisContactIndex;
  /** The same steps for who has the time to read all contacts of a user who has very many. */
  readonly patient: Steps;
}

/** The steps of the protocol on real stores. */
export function stepsOn(
  stores: { readonly primary: Database; readonly redis: RedisClient; readonly delayed: DelayedWork },
  options: StepsOptions,
): RealSteps {
  const { aloneMs = ALONE_MS, patientMs = PATIENT_MS } = options;
  const index = new RedisContactIndex(stores.redis, options);
  const rechecks = new Rechecks(stores.primary);
  const recordWithin = (ms: number) =>
    systemOfRecord(stores.primary, topContactsReader(stores.primary, ms), options.max);
  const cursors = new RedisFanOutCursors(stores.redis, options.prefix);
  const steps: Steps = {
    ...recordWithin(aloneMs),
    nonces: (users) => index.nonces(users),
    apply: (epoch, requests) => index.apply(epoch, requests),
    claim: (users, asked) => index.claim(users, asked),
    replace: (epoch, requests) => index.replace(epoch, requests),
    loadCursors: (owners) => cursors.loadCursors(owners),
    saveCursors: (saved) => cursors.saveCursors(saved),
    clearCursors: (owners) => cursors.clearCursors(owners),
    drop: (users) => index.drop(users),
    forget: async (users) => {
      // Nothing is built while the work that waits is dropped: an index built meanwhile might need one of those refreshes.
      await index.bar(users, 'hard', HARD_MS);
      await stores.delayed.forget(users);
      await index.bar(users, 'soft', FORGOTTEN_MS);
    },
    defer: (work) => stores.delayed.defer(work),
    recheck: (pairs, attempt) => rechecks.put(pairs, attempt),
  };
  return { ...steps, index, patient: { ...steps, topContacts: recordWithin(patientMs).topContacts } };
}

function topContactsReader(database: Database, aloneMs: number): TopContactsReader {
  return new TopContactsReader({ database, aloneMs, now: () => performance.now() });
}
