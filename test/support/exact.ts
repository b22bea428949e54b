import { expect } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { isAbove } from '../../src/contracts/key.ts';
import { readTopContacts } from '../../src/mysql/statements/top-contacts.ts';
import type { Stores } from './stores.ts';

/** More contacts than any test user has. */
const ALL = 1_000_000;

/**
 * Compares a user's index with MySQL: I1 to I4. The index must be warm.
 * @param what for the message of a failure
 */
export async function expectExact(
  { index, primary }: Pick<Stores, 'index' | 'primary'>,
  { max, min }: { max: number; min: number },
  user: Id,
  what: string,
): Promise<void> {
  const reading = await index.read(user, 0, false);
  const { epoch, tops } = await readTopContacts(primary, [user], ALL);
  if (reading.state !== 'warm') throw new Error(`${what}: user ${user} is ${reading.state}`);
  const { head, floor, size } = reading;
  expect(reading.epoch, what).toBe(epoch);
  expect(head, `${what}: I1`).toEqual(tops[0]?.filter((key) => isAbove(key, floor)));
  expect(size, `${what}: I2`).toBeLessThanOrEqual(max);
  if (floor !== undefined) expect(size, `${what}: I2`).toBeGreaterThanOrEqual(min);
  expect(size, `${what}: I4`).toBe(head.length);
}
