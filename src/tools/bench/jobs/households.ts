import type { Id } from '../../../contracts/id.ts';
import { loadGraph } from '../../reference-site/load-graph.ts';
import { contactsOf, gatherCircle } from '../circle.ts';
import type { Ground } from '../ground.ts';
import { ids } from '../people.ts';

/** Users in a row of ids who all have as many contacts. */
export interface Household {
  readonly contacts: number;
  readonly users: readonly Id[];
  readonly range: { readonly from: Id; readonly to: Id };
}

export interface HouseholdsSize {
  /** Each of them with so many contacts among the others. */
  readonly few: { readonly users: number; readonly contacts: number };
  /** And others with so many contacts among those. */
  readonly many: { readonly users: number; readonly contacts: number };
}

const FIRST_OF_MANY = 30_000_000n;

export async function gatherHouseholds({ stores }: Ground, { few, many }: HouseholdsSize): Promise<Household[]> {
  const circle = await gatherCircle(stores, { count: few.users, contacts: few.contacts });
  const users = ids(FIRST_OF_MANY, many.users);
  await loadGraph(stores.pool, {
    users: users.map((id) => ({ id })),
    contacts: users.flatMap((user, place) =>
      contactsOf(circle.users, place, many.contacts).map(({ contact }) => ({ user, contact })),
    ),
  });
  await stores.pool.query('ANALYZE TABLE contacts, users, photos');
  return [householdOf(circle.users, few.contacts), householdOf(users, many.contacts)];
}

function householdOf(users: readonly Id[], contacts: number): Household {
  return { contacts, users, range: { from: users[0] ?? '', to: users.at(-1) ?? '' } };
}
