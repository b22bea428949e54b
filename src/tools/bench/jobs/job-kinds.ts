import { contactsAmong, type JobParts, whileLeaseHolder } from '../../../app/jobs.ts';
import { openPrimary } from '../../../app/open-mysql.ts';
import { indexStores } from '../../../app/stores.ts';
import type { Id } from '../../../contracts/id.ts';
import type { Database } from '../../../mysql/database.ts';
import { createBackfill } from '../../../repair/backfill.ts';
import { type Job, runToEnd } from '../../../repair/job.ts';
import { PageCheck } from '../../../repair/page-check.ts';
import { createRepair } from '../../../repair/repair.ts';
import { Verify } from '../../../repair/verify.ts';
import { idsFrom, loadGraph } from '../../reference-site/load-graph.ts';
import type { Ground } from '../bench.ts';
import { contactsOf, gatherCircle } from '../circle.ts';

export type JobKind = 'backfill' | 'repair_dry_run' | 'verify';

const nobodyElse = () => undefined;

/**
 * Runs the job as its command does. @returns the rows that MySQL read for it @throws Error when it left something
 * undone
 */
export async function doJob(kind: JobKind, parts: JobParts, household: Household): Promise<number> {
  if (kind === 'verify') return await verify(parts, household);
  const { range, users } = household;
  const contacts = contactsAmong(parts);
  return await whileLeaseHolder(parts, kind === 'backfill' ? kind : 'repair', nobodyElse, async (stores, signal) => {
    if (kind === 'backfill') {
      const job = createBackfill({ ...stores, kinds: [contacts] }, range);
      await runToEnd(job, { signal });
      return rowsRead(job.result, job.result.rebuilt === users.length);
    }
    const job = createRepair({ ...stores, kinds: [contacts] }, { ...range, dryRun: true });
    await runToEnd(job, { signal });
    return rowsRead(job.result, job.result.warm === users.length && job.result.wrong === 0);
  });
}

async function verify(parts: JobParts, { range, users }: Household): Promise<number> {
  const contacts = contactsAmong(parts);
  const job: Job & { readonly result: Verify['result'] } = new Verify(
    { primary: parts.stores.primary, kinds: [contacts], now: () => performance.now(), random: Math.random },
    range,
  );
  await runToEnd(job, { signal: parts.signal });
  return rowsRead({ ...job.result, rows_read: 0 }, job.result.warm === users.length && job.result.wrong === 0);
}

function rowsRead(result: { readonly rows_read: number }, isDone: boolean): number {
  if (isDone) return result.rows_read;
  throw new Error(`a job left something undone: ${JSON.stringify(result)}`);
}

const SETTLE_MS = 10_000;

export function jobPartsOn<D extends Database>(
  { stores, namespace, resources }: Ground,
  DatabaseClass: new (...options: ConstructorParameters<typeof Database>) => D,
): JobParts & { readonly primary: D } {
  const { config } = namespace;
  const primary = resources.adopt(openPrimary(config, { Database: DatabaseClass }) as D, (opened) => opened.close());
  const parts = indexStores(config, primary, stores.redis);
  const { kind, primary: contacts, index, steps } = contactsAmong(parts);
  const check = new PageCheck({
    clock: Date.now,
    random: Math.random,
    ...{ index, primary: contacts, raiseBarrier: stores.raiseBarrier, settleMs: SETTLE_MS },
    limits: { max: config.max, min: config.min },
    now: () => performance.now(),
  });
  const { indexedUsers } = contactsAmong(stores.jobs);
  const kinds = [{ kind, primary: contacts, check, steps, indexedUsers }];
  return { ...stores.jobs, stores: { ...stores, primary, ...parts }, kinds, primary };
}

/** Users with consecutive ids and equally many contacts. */
export interface Household {
  readonly contacts: number;
  readonly users: readonly Id[];
  readonly range: { readonly from: Id; readonly to: Id };
}

export interface HouseholdsSize {
  readonly few: { readonly users: number; readonly contacts: number };
  readonly many: { readonly users: number; readonly contacts: number };
}

const FIRST_OF_MANY = 30_000_000n;

export async function gatherHouseholds({ stores }: Ground, { few, many }: HouseholdsSize): Promise<Household[]> {
  const circle = await gatherCircle(stores, { count: few.users, contacts: few.contacts });
  const users = idsFrom(FIRST_OF_MANY, many.users);
  await loadGraph(stores.pool, {
    users: users.map((id) => ({ id })),
    contacts: users.flatMap((user, position) =>
      contactsOf(circle.users, position, many.contacts).map(({ contact }) => ({ user, contact })),
    ),
  });
  await stores.pool.query('ANALYZE TABLE contacts, users, photos');
  return [householdOf(circle.users, few.contacts), householdOf(users, many.contacts)];
}

function householdOf(users: readonly Id[], contacts: number): Household {
  return { contacts, users, range: { from: users[0] ?? '', to: users.at(-1) ?? '' } };
}
