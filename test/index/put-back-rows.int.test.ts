import { describe, expect, it } from 'vitest';
import { EVERYBODY, keyOf, type Suspect } from '../../src/index/drain-barrier.ts';
import { ReturnedRows } from '../../src/index/index-drain-barrier.ts';
import { readNewestTask } from '../../src/mysql/newest-task.ts';
import { isPublishedUpTo } from '../../src/mysql/outbox.ts';
import { freshStores, type Stores } from '../support/stores.ts';

async function putBack({ primary }: Stores, type: string, user: string, other: string | null): Promise<void> {
  const row =
    'INSERT INTO recency_outbox (type, user_id, other_id, due_at, attempt) VALUES (?, ?, ?, 9000000000000, 3)';
  await primary.write(row, [type, user, other]);
}

const whole = (user: string): Suspect => ({ user, contact: undefined });
const pair = (user: string, contact: string): Suspect => ({ user, contact });

async function heldOf({ primary }: Stores, suspects: readonly Suspect[]): Promise<boolean[]> {
  const pending = await new ReturnedRows(primary).pendingFor(suspects);
  return suspects.map((suspect) => (pending.get(keyOf(suspect))?.size ?? 0) > 0);
}

describe('an outbox row that was put back', () => {
  it('holds the users its task concerns, and no barrier waits for its publication', async () => {
    const stores = await freshStores();
    await putBack(stores, 'recency.contact.added', '1', '2');
    const { primary } = stores;
    expect(await isPublishedUpTo(primary, (await readNewestTask(primary)).id)).toBe(true);
    const about = [pair('1', '2'), pair('2', '1'), whole('1'), whole('2'), EVERYBODY];
    expect(await heldOf(stores, about)).toEqual([true, true, true, true, true]);
    expect(await heldOf(stores, [pair('1', '3'), pair('3', '2'), whole('3')])).toEqual([false, false, false]);
  });

  it("holds every follower of a photo's owner, and also the user if the user is deleted", async () => {
    const stores = await freshStores();
    await putBack(stores, 'recency.photo.uploaded', '5', null);
    expect(await heldOf(stores, [pair('1', '5'), whole('1'), pair('1', '6'), EVERYBODY])).toEqual([
      ...[true, true, false, true],
    ]);
    await putBack(stores, 'recency.user.deleted', '6', null);
    expect(await heldOf(stores, [pair('1', '6'), pair('6', '7'), pair('1', '7')])).toEqual([true, true, false]);
  });

  it('holds everybody if there are very many', async () => {
    const stores = await freshStores();
    const rows = JSON.stringify(Array.from({ length: 1_001 }, (_, i) => i + 10));
    await stores.primary.write(
      `INSERT INTO recency_outbox (type, user_id, other_id, due_at)
       SELECT 'recency.contact.added', id, 3, 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS many`,
      [rows],
    );
    expect(await heldOf(stores, [pair('1', '2')])).toEqual([true]);
  });
});
