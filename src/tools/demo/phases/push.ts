import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Id } from '../../../contracts/id.ts';
import { bodyOf } from '../../harness/http.ts';
import { quantile } from '../../harness/latency.ts';
import { poll, until } from '../../harness/poll.ts';
import { type ProcessGroup, RECENCY } from '../../harness/processes/process-group.ts';
import { Ledger } from '../../harness/push-ledger.ts';
import { uploadPhoto } from '../../reference-site/photos.ts';
import { addContact } from '../../reference-site/relationships.ts';
import { count } from '../layout.ts';
import { shuffled } from '../random.ts';
import type { World } from '../world.ts';

/** What became of the uploads that watches were to be told of. */
export interface PushReport {
  readonly watches: number;
  readonly uploads: number;
  readonly delivered: number;
  /** From the commit until the webhook is received, ms. */
  readonly p50Ms: number;
  readonly mostMs: number;
  readonly missed: number;
  /** Deliveries that came twice: under the same id, as they may, and under another. */
  readonly twice: number;
  readonly wrongIds: number;
  readonly notVisible: number;
}

const WATCHERS = 20;
const TIMEOUT_MS = 60_000;

/** Audiences of the reference site. */
const EVERYBODY = 0;
const NOBODY = 4;

/** One upload in so many is seen by nobody but its owner. */
const HIDDEN_EVERY = 5;

/**
 * Some users are watched, and somebody whom all of them follow uploads photos, one after the other. A notifier delivers them as
 * webhooks to this process, which verifies their signatures.
 */
export async function watchUploads(world: World, processGroup: ProcessGroup, uploads: number): Promise<PushReport> {
  const [owner = '', ...viewers] = shuffled(world.random, world.cast.players).slice(0, WATCHERS + 1);
  for (const viewer of viewers) await addContact(world.pool, viewer, owner);
  const notifier = processGroup.start({ name: 'notifier', module: RECENCY, args: ['notify'] });
  const ledger = new Ledger();
  const secrets = new Map<Id, string>();
  const endpoint = await receive(ledger, secrets);
  try {
    await watch(world, viewers, endpoint, secrets);
    await uploadAll(world, { owner, ledger, followersOf: () => viewers }, uploads);
    const { times, missed, twice, wrongIds, notVisible } = ledger.account(() => viewers);
    const [p50Ms, mostMs] = [quantile(times, 0.5), Math.max(...times)];
    const counts = { watches: viewers.length, uploads, delivered: ledger.notifications };
    return { ...counts, p50Ms, mostMs, missed, twice, wrongIds, notVisible };
  } finally {
    endpoint.closeAllConnections();
    endpoint.close();
    await processGroup.stop(notifier);
  }
}

async function receive(ledger: Ledger, secrets: ReadonlyMap<Id, string>): Promise<Server> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const receivedAt = performance.now();
      const body = String(Buffer.concat(parts));
      const { user, sources } = JSON.parse(body).data;
      new Webhook(secrets.get(user) ?? '').verify(body, request.headers as Record<string, string>);
      ledger.notifications++;
      const notification = String(request.headers['webhook-id']);
      for (const { id, last_upload_at } of sources) {
        ledger.told({ user, contact: id, at: Date.parse(last_upload_at), notification, receivedAt });
      }
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Creates the watches, and waits until each has recorded its first head. */
async function watch(world: World, viewers: readonly Id[], endpoint: Server, secrets: Map<Id, string>): Promise<void> {
  const { port } = endpoint.address() as AddressInfo;
  for (const user of viewers) {
    const asked = { user, kinds: ['contacts'], channel: 'webhook', url: `http://127.0.0.1:${port}/` };
    const create = () => world.api.post('/v1/watches', JSON.stringify(asked));
    secrets.set(user, JSON.parse(await bodyOf('A watch', create, 201, world.signal)).secret);
  }
  const look = async () => (await world.pool.query("SELECT 1 FROM recency_watches WHERE told = '{}'"))[0] as unknown[];
  const options = { everyMs: 20, timeoutMs: TIMEOUT_MS, signal: world.signal };
  await until(
    (left) => `${left.length} watches were not looked at`,
    look,
    (rows) => rows.length === 0,
    options,
  );
}

interface Watching {
  readonly owner: Id;
  readonly ledger: Ledger;
  readonly followersOf: (owner: Id) => readonly Id[];
}

/** Each upload waits until everybody has been told of the one before. */
async function uploadAll({ pool, signal }: World, { owner, ledger, followersOf }: Watching, uploads: number) {
  const from = Date.now();
  for (let turn = 1; turn <= uploads; turn++) {
    const [at, isVisible] = [from + turn, turn % HIDDEN_EVERY !== 0];
    await uploadPhoto(pool, owner, isVisible ? EVERYBODY : NOBODY, at);
    ledger.upload({ owner, at, isVisible, committedAt: performance.now() });
    const look = async () => ledger.isComplete(followersOf);
    await poll(look, Boolean, { everyMs: 5, timeoutMs: TIMEOUT_MS, signal });
  }
}

export function formatPush({ watches, uploads, delivered, p50Ms, mostMs, missed, twice }: PushReport): string {
  return [
    `${count(watches)} watches, ${count(uploads)} uploads: ${count(delivered)} webhooks,`,
    `${p50Ms.toFixed(0)} ms after the commit (at most ${mostMs.toFixed(0)}); missed ${count(missed)}, twice ${count(twice)}`,
  ].join(' ');
}
