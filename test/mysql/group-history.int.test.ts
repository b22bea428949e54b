import { expect, it } from 'vitest';
import { groupHistory } from '../../src/mysql/settings.ts';
import { freshStores } from '../support/stores.ts';

it.each([1, 185, 186, 260])('whether a group has begun is found again: a name of %i letters', async (letters) => {
  const { primary } = await freshStores();
  const [one, other] = ['a', 'b'].map((end) => groupHistory(primary, end.padStart(letters, 'x')));
  expect(await one?.hasStarted()).toBe(false);
  await one?.recordStart();
  await one?.recordStart();
  expect([await one?.hasStarted(), await other?.hasStarted()]).toEqual([true, false]);
});
