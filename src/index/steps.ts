import type { Database } from '../mysql/database.ts';
import type { RedisClient } from '../redis/connection.ts';
import type { DelayedWork } from './deferred-work.ts';
import type { Steps } from './protocol.ts';
import { Rechecks } from './rechecks.ts';
import { type ContactIndexOptions, RedisContactIndex } from './redis-contact-index.ts';
import { RedisFanOutCursors } from './redis-fan-out-cursors.ts';
import { systemOfRecord } from './system-of-record.ts';

/** The steps of the protocol on real stores. */
export function stepsOn(
  stores: { readonly primary: Database; readonly redis: RedisClient; readonly delayed: DelayedWork },
  options: ContactIndexOptions,
): Steps & { readonly index: RedisContactIndex } {
  const index = new RedisContactIndex(stores.redis, options);
  const record = systemOfRecord(stores.primary, options.max);
  const rechecks = new Rechecks(stores.primary);
  const cursors = new RedisFanOutCursors(stores.redis, options.prefix);
  return {
    index,
    ...record,
    nonces: (users) => index.nonces(users),
    apply: (epoch, requests) => index.apply(epoch, requests),
    claim: (users) => index.claim(users),
    replace: (epoch, requests) => index.replace(epoch, requests),
    loadCursors: (owners) => cursors.loadCursors(owners),
    saveCursors: (saved) => cursors.saveCursors(saved),
    clearCursors: (owners) => cursors.clearCursors(owners),
    forget: async (users) => {
      await stores.delayed.forget(users); // first, or a rebuild that is due would bring the index back
      await index.forget(users);
    },
    defer: (work) => stores.delayed.defer(work),
    recheck: (pairs, attempt) => rechecks.put(pairs, attempt),
  };
}
