import type { Constants, Line } from './constants.ts';
import { cappedMean, powerLawOf, shareWithContacts } from './power-law.ts';
import type { Site } from './site.ts';

export interface MemorySizing {
  /** Users with a contact, and so with an index, if somebody reads it. */
  readonly indexes: number;
  /** Contacts in an index, the mean. */
  readonly members: number;
  /** Of Redis, for an index of so many, its tables and allocator included. */
  readonly bytesPerIndex: number;
  /** Of these, what MEMORY USAGE shows for its keys. */
  readonly keyBytesPerIndex: number;
  /** The same for a full index. */
  readonly bytesPerFullIndex: number;
  readonly bytes: number;
  /** One backfill, from nothing. */
  readonly backfillSeconds: number;
}

type People = Pick<Site, 'users' | 'contactsPerUser' | 'mostContacts' | 'max'>;

export function memoryOf(site: People, constants: Constants): MemorySizing {
  const { users, contactsPerUser, mostContacts, max } = site;
  const law = powerLawOf(contactsPerUser, mostContacts);
  const share = shareWithContacts(law);
  const members = cappedMean(law, max) / share;
  const bytesPerIndex = at(constants.indexBytes, members);
  const indexes = users * share;
  return {
    indexes,
    members,
    bytesPerIndex,
    keyBytesPerIndex: at(constants.keyBytes, members),
    bytesPerFullIndex: at(constants.indexBytes, max),
    bytes: indexes * bytesPerIndex,
    backfillSeconds: indexes * at(constants.backfillSeconds, contactsPerUser / share),
  };
}

export function at({ fixed, each }: Line, count: number): number {
  return fixed + each * count;
}
