import { expect, it, onTestFinished, vi } from 'vitest';
import { EVERYBODY } from '../../src/index/drain-barrier.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { nextFencingToken } from '../../src/mysql/leases.ts';
import { deletePhoto, uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { addContact, removeContact } from '../../src/tools/reference-site/relationships.ts';
import { startConsuming } from '../support/consuming.ts';
import { expectExact } from '../support/exact.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshStores } from '../support/stores.ts';
import { until } from '../support/until.ts';

const LIMITS = { max: 6, min: 3 };
const USERS = Array.from({ length: 10 }, (_, i) => String(1 + i));
const CONTACTS = Array.from({ length: 15 }, (_, i) => String(101 + i));
const HOUR_MS = 3_600_000;

/** Each reading of this process's clock is an hour early or late; so are the times of uploads. */
function jumpingClock(): void {
  const now = Date.now.bind(Date);
  const spy = vi.spyOn(Date, 'now').mockImplementation(() => now() + (Math.random() < 0.5 ? -HOUR_MS : HOUR_MS));
  onTestFinished(() => spy.mockRestore());
}

it('fault 33: clocks that jump by an hour change no order and delay nothing', async () => {
  const stores = await freshStores(LIMITS);
  const pool = freshSitePool(stores.url);
  await writeSite(pool, everybodyKnows(USERS, CONTACTS));
  await run(rebuild(USERS), stores.steps);
  jumpingClock();
  const consuming = await startConsuming(stores, { pageSize: 4 });
  const any = <T>(of: readonly T[]) => of[Math.floor(Math.random() * of.length)] as T;
  const photos: string[] = [];
  for (let action = 0; action < 150; action++) {
    photos.push(await uploadPhoto(pool, any(CONTACTS), 0, Date.now()));
    if (action % 3 === 0) await deletePhoto(pool, any(photos)).catch(() => undefined);
    if (action % 2 === 0) await removeContact(pool, any(USERS), any(CONTACTS));
    else await addContact(pool, any(USERS), any(CONTACTS), { friend: false, family: false });
  }
  await stores.delayed.askForRebuild('1');
  await stores.rechecks.put([{ user: '2', contact: '101', version: '1' }], 1);
  const tokens = [await nextFencingToken(stores.primary, 'clock', Date.now())];
  tokens.push(await nextFencingToken(stores.primary, 'clock', Date.now()));
  expect(tokens).toEqual(['1', '2']);

  const barrier = await consuming.raiseBarrier([EVERYBODY]);
  await until(() => barrier.passed());
  for (const user of USERS) await expectExact(stores, LIMITS, user, 'whatever the clocks said');
  await consuming.stop();
});
