/** Erases what the tables of push hold about a person. */
import type { Id } from '../contracts/id.ts';
import { CONTACTS } from '../contracts/kind.ts';
import type { NewSource, Told, Watch } from '../contracts/watch.ts';
import type { Database } from '../mysql/database.ts';
import { freshVersion, readWatches } from './watch-table.ts';

/** Rows that were deleted or changed, by table. */
interface ErasedFromPush {
  readonly watches: number;
  readonly undelivered: number;
}

const WATCHES_OF = 'DELETE FROM recency_watches WHERE user_id = ?';
const UNDELIVERED_OF = 'DELETE FROM recency_undelivered WHERE user_id = ?';

/**
 * Erases a user's watches and notifications, and, where contacts are users, what those of others say of them as a contact.
 * Watches that mute or were told of a contact have no index by contact: all rows are looked through, page by page.
 * @throws DatabaseUnavailable; some may be erased then, and it can be called again
 */
export async function eraseFromPush(database: Database, user: Id, areContactsUsers: boolean): Promise<ErasedFromPush> {
  const watches = (await database.write(WATCHES_OF, [user])).affectedRows;
  const undelivered = (await database.write(UNDELIVERED_OF, [user])).affectedRows;
  if (!areContactsUsers) return { watches, undelivered };
  return {
    watches: watches + (await eraseFromWatches(database, user)),
    undelivered: undelivered + (await eraseFromUndelivered(database, user)),
  };
}

const NAMING_WATCHES = `
  SELECT id FROM recency_watches
  WHERE id > ? AND (muted LIKE ? OR told LIKE ? OR outgoing LIKE ?) ORDER BY id LIMIT 100`;

const REWRITE =
  'UPDATE recency_watches SET muted = ?, told = ?, outgoing = ?, version = ? WHERE id = ? AND version = ?';

/** A watch that a notifier writes to meanwhile is read again. */
async function eraseFromWatches(database: Database, contact: Id): Promise<number> {
  const text = `%"${contact}"%`;
  let [after, erased] = ['0', 0];
  for (;;) {
    const ids = (await database.rows(NAMING_WATCHES, [after, text, text, text])).map(([id]) => String(id));
    if (ids.length === 0) return erased;
    const naming = (await readWatches(database, ids)).flatMap((watch) => {
      const without = withoutContact(watch, contact);
      return JSON.stringify(without) === JSON.stringify(watch) ? [] : [without]; // the number may be that of a group
    });
    let written = 0;
    for (const { id, version, muted, told, outgoing } of naming) {
      const sent = outgoing === undefined ? null : JSON.stringify(outgoing);
      const values = [JSON.stringify(muted), JSON.stringify(told), sent, freshVersion(), id, version];
      written += (await database.write(REWRITE, values)).affectedRows;
    }
    erased += written;
    if (written === naming.length) after = ids.at(-1) ?? after;
  }
}

function withoutContact(watch: Watch, contact: Id): Watch {
  const { told, muted, outgoing } = watch;
  const head = told[CONTACTS.name];
  const without: Told =
    head === undefined
      ? told
      : {
          ...told,
          [CONTACTS.name]: {
            ...head,
            entries: head.entries.filter(({ id }) => id !== contact),
            floor: head.floor?.id === contact ? { ...head.floor, id: '0' } : head.floor,
          },
        };
  return {
    ...watch,
    muted: muted.filter((id) => id !== contact),
    told: without,
    outgoing: outgoing && { ...outgoing, sources: outgoing.sources.filter((source) => !isContact(source, contact)) },
  };
}

const isContact = ({ kind, id }: NewSource, contact: Id) => kind === CONTACTS.name && id === contact;

const NAMING_UNDELIVERED = 'SELECT id, sources FROM recency_undelivered WHERE sources LIKE ?';

async function eraseFromUndelivered(database: Database, contact: Id): Promise<number> {
  const rows = await database.rows(NAMING_UNDELIVERED, [`%"${contact}"%`]);
  let erased = 0;
  for (const [id, text] of rows) {
    const all = JSON.parse(String(text)) as NewSource[];
    const sources = all.filter((source) => !isContact(source, contact));
    if (sources.length === all.length) continue;
    const rewrite = 'UPDATE recency_undelivered SET sources = ? WHERE id = ?';
    erased += (await database.write(rewrite, [JSON.stringify(sources), String(id)])).affectedRows;
  }
  return erased;
}
