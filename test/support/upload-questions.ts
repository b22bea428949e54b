import type { Id } from '../../src/contracts/id.ts';
import { readAllContacts } from '../../src/mysql/statements/all-contacts.ts';
import { readCandidates } from '../../src/mysql/statements/candidates.ts';
import { readExplainedContact } from '../../src/mysql/statements/explained-contact.ts';
import { readNeighbours, readPairs } from '../../src/mysql/statements/pairs.ts';
import { readPhotos } from '../../src/mysql/statements/photos.ts';
import { readPlain } from '../../src/mysql/statements/plain-contacts.ts';
import { readTopContacts } from '../../src/mysql/statements/top-contacts.ts';
import { MeteredContactsDatabase } from './contacts-database.ts';

type Questions = Readonly<Record<string, () => Promise<unknown>>>;

/** Every question in which the last upload of a contact is found, about one pair. */
function questionsOn(database: MeteredContactsDatabase, user: Id, contact: Id): Questions {
  return {
    candidates: async () => (await readCandidates(database, user, [contact])).contacts,
    plain: async () => (await readPlain(database, { user, relation: 'any', limit: 2, below: undefined })).contacts,
    top: async () => (await readTopContacts(database, [user], 2)).tops.flat(),
    'top of many': async () => (await readTopContacts(database, [user, '999999'], 2)).tops.flat(),
    pairs: async () => (await readPairs(database, [{ user, contact }])).rows,
    neighbours: async () => (await readNeighbours(database, [{ user, contact }])).rows,
    explain: async () => [(await readExplainedContact(database, user, contact)).row],
    all: async () => await readAllContacts(database, user),
    photos: async () =>
      [...(await readPhotos(database, user, [{ id: contact, sees: '47' }], 1)).values()].map((one) => one.photos),
  };
}

const asJson = (value: unknown) => JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? Number(one) : one));

/**
 * The rows that each question reads before and after a change of the photos that changes no answer.
 * @returns the questions that read more rows afterwards, with both counts
 * @throws Error when an answer is without the time
 */
export async function questionsThatReadMore(
  url: string,
  { user, contact, at }: { readonly user: Id; readonly contact: Id; readonly at: number },
  change: () => Promise<unknown>,
): Promise<Record<string, readonly [before: number, after: number]>> {
  const metered = new MeteredContactsDatabase(url, { connections: 2, queue: 100, deadlineMs: 60_000 });
  const rowsRead = async () => {
    const read: Record<string, number> = {};
    for (const [name, ask] of Object.entries(questionsOn(metered, user, contact))) {
      const before = metered.rowsRead;
      const answer = asJson(await ask());
      if (!new RegExp(`"(at|lastUploadAt|uploadedAt)":"?${at}\\b`).test(answer)) throw new Error(`${name}: ${answer}`);
      read[name] = metered.rowsRead - before;
    }
    return read;
  };
  try {
    await rowsRead(); // a missing column is noticed
    const before = await rowsRead();
    await change();
    await rowsRead(); // a connection that was opened anew meanwhile has read its own
    const after = await rowsRead();
    const more = Object.keys(after).filter((name) => Number(after[name]) > Number(before[name]));
    return Object.fromEntries(more.map((name) => [name, [Number(before[name]), Number(after[name])]]));
  } finally {
    await metered.close();
  }
}
