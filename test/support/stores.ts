import { randomBytes } from 'node:crypto';
import { CONTACTS, type Kind } from '../../src/contracts/kind.ts';
import type { KeepRules } from '../../src/index/allowance.ts';
import type { ContactIndex, Limits } from '../../src/index/contact-index.ts';
import { DelayedWork, type Rechecks } from '../../src/index/delayed-work.ts';
import type { Steps } from '../../src/index/protocol.ts';
import type { RedisContactIndex } from '../../src/index/redis/redis-contact-index.ts';
import { stepsOn } from '../../src/index/steps.ts';
import { type KindDatabase, KindStatements } from '../../src/mysql/statements/kind-statements.ts';
import type { UploadsFrom } from '../../src/mysql/statements/last-upload.ts';
import { RecentContacts, type RecentContactsOptions } from '../../src/query/recent-contacts.ts';
import { openRedis, type RedisClient, untilReady } from '../../src/redis/connection.ts';
import { DelayQueue } from '../../src/redis/delay-queue.ts';
import { type Site, USUAL_SITE } from '../../src/site/site.ts';
import { ContactsDatabase } from './contacts-database.ts';
import { closeAtEnd, freshCopy, freshPrefix, redisUrl } from './servers.ts';
import { leaveOutUploads } from './without-uploads.ts';

export interface Stores {
  readonly url: string;
  readonly prefix: string;
  readonly primary: ContactsDatabase;
  readonly redis: RedisClient;
  readonly delayed: DelayedWork;
  readonly rechecks: Rechecks;
  readonly index: RedisContactIndex;
  readonly steps: Steps;
  readonly patient: Steps;
}

interface StoresOptions {
  /** The kinds whose views are made; default: contacts. */
  readonly kinds?: readonly Kind[];
  /** Where the last uploads come from: a column of the views (default), or the photos. */
  readonly uploads?: UploadsFrom;
  /** As in {@link ContactsDatabase}. */
  readonly site?: Site;
  readonly passesOn?: boolean;
  readonly max?: number;
  readonly min?: number;
  /** Time limit of a statement that reads all contacts of one user, ms; and of one that nothing waits for, ms. */
  readonly aloneMs?: number;
  readonly patientMs?: number;
  /** Which indexes pay. Left out: all of them, for good. */
  readonly rules?: KeepRules;
}

export const freshNonce = (): string => randomBytes(9).toString('base64url');

/** A Redis client of the test's own, closed when the test file ends. */
export async function freshRedis(url = redisUrl(), { commandTimeoutMs = 20_000 } = {}): Promise<RedisClient> {
  const redis = openRedis(url, { commandTimeoutMs, connectTimeoutMs: 20_000, name: 'test' });
  closeAtEnd(() => redis.disconnect());
  await untilReady(redis, 60_000);
  return redis;
}

/** Creates a database with the reference tables and views. Returns its URL. */
export function migratedDatabase(kinds: readonly Kind[] = [CONTACTS]): Promise<string> {
  return freshCopy(kinds);
}

/** A database and a key prefix of the test's own, migrated, with the steps of the protocol on them. */
export async function freshStores({ kinds, uploads, site, passesOn, ...options }: StoresOptions = {}): Promise<Stores> {
  const url = await migratedDatabase(kinds);
  if (uploads === 'photos') await leaveOutUploads(url, kinds ?? [CONTACTS]);
  const primary = new ContactsDatabase(url, { connections: 5, queue: 1_000, deadlineMs: 60_000, site, passesOn });
  closeAtEnd(() => primary.close());
  return storesOn({ url, prefix: freshPrefix(), primary, redis: await freshRedis() }, options);
}

/** The same on connections that the test has opened. */
export function storesOn(
  { url, prefix, primary, redis }: Pick<Stores, 'url' | 'prefix' | 'primary' | 'redis'>,
  { max = 4, min = 2, ...times }: StoresOptions = {},
): Stores {
  const delayed = new DelayedWork(new DelayQueue(redis, prefix));
  const steps = stepsOn({ primary, redis, delayed }, { max, min, prefix, freshNonce, ...times });
  const { index, patient, rechecks } = steps;
  return { url, prefix, primary, redis, delayed, rechecks, index, steps, patient };
}

/** The same of another kind. */
export interface KindTestStores extends Omit<Stores, 'primary'> {
  readonly primary: KindDatabase;
}

/** The indexes of another kind on the same connections, as the composition root opens them. */
export function kindStoresOn(stores: Stores, kind: Kind, options: StoresOptions = {}): KindTestStores {
  const { url, prefix, primary: server, redis } = stores;
  const { max = 4, min = 2, site = USUAL_SITE, passesOn = false, ...times } = options;
  const primary = { server, statements: new KindStatements(site, kind, { passesOn }) };
  const delayed = new DelayedWork(new DelayQueue(redis, `${prefix}:${kind.name}`));
  const steps = stepsOn({ primary, redis, delayed }, { max, min, prefix, freshNonce, ...times });
  const { index, patient, rechecks } = steps;
  return { url, prefix, primary, redis, delayed, rechecks, index, steps, patient };
}

/** For tests in which nothing measures how far the indexes are behind. */
export const NO_LAG = { lagMs: () => 0 };

/** Answers as the API gives them. Nothing is built or refilled for them, unless the test says otherwise. */
export function recentContactsOn(
  { index, primary }: { readonly index: Pick<ContactIndex, 'read'>; readonly primary: KindDatabase },
  { max, min }: Limits,
  parts: Partial<RecentContactsOptions> = {},
): RecentContacts {
  const nothing = () => undefined;
  const now = () => performance.now();
  return new RecentContacts({
    ...{ index, database: primary, max, min, onCold: nothing, onLow: nothing, touch: false, now, ...NO_LAG, ...parts },
  });
}
