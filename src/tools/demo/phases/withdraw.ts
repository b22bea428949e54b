import type { Id } from '../../../contracts/id.ts';
import { bodyOf } from '../../harness/http.ts';
import { until } from '../../harness/poll.ts';
import { uploadPhoto } from '../../reference-site/photos.ts';
import { addContact, changeRelationship } from '../../reference-site/relationships.ts';
import { shuffled } from '../random.ts';
import type { World } from '../world.ts';

/** What a user is shown before and after somebody withdraws a grant. */
export interface WithdrawalReport {
  readonly viewer: Id;
  readonly owner: Id;
  readonly before: string;
  readonly after: string;
  /** The photo for friends was shown before, and not after. */
  readonly right: boolean;
}

interface ShownRow {
  readonly id: Id;
  readonly last_upload_at: string;
}

const ROWS = 3;
const FRIENDS = 1;
const TIMEOUT_MS = 60_000;

/**
 * A user who is granted `friend` sees a photo for friends; then the grant is withdrawn. All through the site and the
 * API.
 */
export async function withdrawGrant(world: World): Promise<WithdrawalReport> {
  const [viewer = '', owner = ''] = shuffled(world.random, world.cast.players);
  await addContact(world.pool, viewer, owner);
  await addContact(world.pool, owner, viewer, { friend: true, family: false });
  const at = Date.now();
  await uploadPhoto(world.pool, owner, FRIENDS, at);
  const before = await until(
    'The photo for friends was not shown',
    () => read(world, viewer),
    (rows) => isShown(rows, owner, at),
    { everyMs: 10, timeoutMs: TIMEOUT_MS, signal: world.signal },
  );
  await changeRelationship(world.pool, owner, viewer, { friend: false, family: false });
  const after = await read(world, viewer);
  const right = isShown(before, owner, at) && !isShown(after, owner, at);
  return { viewer, owner, before: describe(before), after: describe(after), right };
}

async function read({ api, signal }: World, viewer: Id): Promise<ShownRow[]> {
  const ask = () => api.get(`/v1/users/${viewer}/contacts/recent?limit=${ROWS}`);
  const body = await bodyOf('The contacts of a user', ask, 200, signal);
  return (JSON.parse(body) as { contacts: ShownRow[] }).contacts;
}

function isShown(rows: readonly ShownRow[], owner: Id, at: number): boolean {
  return rows.some(({ id, last_upload_at: shown }) => id === owner && Date.parse(shown) === at);
}

/** For example `42 (12:00:00.123), 7 (2004-05-01)`. */
function describe(rows: readonly ShownRow[]): string {
  const today = new Date().toISOString().slice(0, 10);
  return rows
    .map(({ id, last_upload_at: at }) => `${id} (${at.startsWith(today) ? at.slice(11, 23) : at.slice(0, 10)})`)
    .join(', ');
}
