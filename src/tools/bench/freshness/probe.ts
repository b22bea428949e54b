import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'mysql2/promise';
import type { Id } from '../../../contracts/id.ts';
import type { MeasuringClient } from '../../harness/measuring-client.ts';
import { uploadPhoto } from '../../reference-site/photos.ts';

/** Between two looks at the answer. */
const LOOK_MS = 2;

/** Between two probes at the most, so that they do not keep step with the relay. */
const REST_MS = 50;

const TIMEOUT_MS = 30_000;

export interface ProbeOptions {
  readonly pool: Pool;
  readonly client: MeasuringClient;
  readonly viewer: Id;
  /** Contacts of the viewer who have no photo yet. */
  readonly contacts: Iterator<Id>;
}

/** Photos by one contact of the viewer after the other, until aborted. @returns ms from each commit to an answer with it */
export async function probe(options: ProbeOptions, signal: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  while (!signal.aborted) {
    const { value: contact, done } = options.contacts.next();
    if (done) throw new Error('there are fewer contacts than probes');
    times.push(await freshness(options, contact));
    await pause(Math.random() * REST_MS);
  }
  return times;
}

async function freshness({ pool, client, viewer }: ProbeOptions, contact: Id): Promise<number> {
  await uploadPhoto(pool, contact, 0, Date.now());
  const committed = performance.now();
  while (performance.now() - committed < TIMEOUT_MS) {
    const { status, body } = await client.get(`/v1/users/${viewer}/contacts/recent?limit=1`);
    const now = performance.now();
    if (status !== 200) throw new Error(`an answer of ${status}: ${body}`);
    const { contacts } = JSON.parse(body) as { contacts: { id: Id }[] };
    if (contacts[0]?.id === contact) return now - committed;
    await pause(LOOK_MS);
  }
  throw new Error(`a photo was in no answer for ${TIMEOUT_MS / 1000} s`);
}
