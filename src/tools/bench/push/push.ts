import { DEFAULT_LIMIT } from '../../../contracts/http.ts';
import type { Id } from '../../../contracts/id.ts';
import { quantile } from '../../harness/latency.ts';
import { MeasuringClient } from '../../harness/measuring-client.ts';
import { poll } from '../../harness/poll.ts';
import { launchApi } from '../../harness/processes/launch-api.ts';
import { RECENCY } from '../../harness/processes/process-group.ts';
import { Ledger, type PushAccount } from '../../harness/push-ledger.ts';
import { settle } from '../../harness/stores.ts';
import type { Bench, Ground } from '../bench.ts';
import { openGround } from '../bench.ts';
import { buildIndexes, contactsOf, gatherCircle } from '../circle.ts';
import { type Measurements, type ReportRow, rounded } from '../report.ts';
import { type FanOutCostSize, measureFanOutCost } from './fan-out-cost.ts';
import { type OnNotification, receiveRecords, receiveStreams, receiveWebhooks } from './receivers.ts';
import { SteadyUploads } from './uploads.ts';

export interface PushSize {
  /** One after the other, each with a site and processes of its own. */
  readonly lines: readonly PushLine[];
  /** People who watch, each of whom is watched by as many others as they have contacts. */
  readonly users: number;
  readonly contacts: number;
  /** Notifications a second: for the latency, and as many as must be sustained. */
  readonly rates: readonly number[];
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Longer than any bar: a watch that has not been told by then was missed. */
  readonly toldWithinSeconds: number;
  readonly fanOut: FanOutCostSize;
}

const CHANNELS = ['kafka', 'webhook', 'stream'] as const;
const TRANSPORTS = ['kafka', 'streams'] as const;

/** What carries the tasks, and what the notifications. */
interface PushLine {
  readonly transport: (typeof TRANSPORTS)[number];
  readonly channel: (typeof CHANNELS)[number];
}

/** Measures the time from a commit until the watching users have been told, on each channel. */
export const push: Bench<PushSize> = {
  name: 'push',
  summary: 'notifications a second on each channel, and ms from a commit until they are delivered',
  transport: 'kafka',
  settings: () => SETTINGS,
  full: {
    lines: TRANSPORTS.flatMap((transport) => CHANNELS.map((channel) => ({ transport, channel }))),
    users: 2_000,
    contacts: 50,
    rates: [500, 2_200], // some of what is offered is combined
    seconds: 60,
    warmUpSeconds: 5,
    toldWithinSeconds: 10,
    fanOut: { followers: 5_000, rounds: 21, warmUp: 3 },
  },
  quick: {
    lines: [
      { transport: 'kafka', channel: 'kafka' },
      { transport: 'streams', channel: 'webhook' },
      { transport: 'streams', channel: 'stream' },
    ],
    users: 20,
    contacts: 4,
    rates: [8, 40],
    seconds: 0.3,
    warmUpSeconds: 0.1,
    toldWithinSeconds: 60,
    fanOut: { followers: 200, rounds: 1, warmUp: 0 },
  },
  measure,
};

/** The endpoint of the benchmark is on this machine. */
const SETTINGS = { WEBHOOK_ALLOW_PRIVATE: 'true' };

async function measure(ground: Ground, size: PushSize): Promise<Measurements> {
  ground.progress(`a fan-out to ${size.fanOut.followers} followers`);
  const cost = await measureFanOutCost(ground, size.fanOut);
  const rows: ReportRow[] = [];
  for (const line of size.lines) rows.push(...(await measureLine(ground, line, size)));
  const sum = (name: string) => rows.reduce((total, row) => total + Number(row[name]), 0);
  const worst = (name: string, rate: number) => {
    const values = rows.filter((row) => row.rate === rate).map((row) => Number(row[name]));
    return Math.max(...values);
  };
  const [slow = 0, fast = 0] = size.rates;
  const perSecond = rows.filter(({ rate }) => rate === fast).map(({ per_second }) => Number(per_second));
  return {
    rows: [...rows, ...cost.rows],
    ratios: {
      ...cost.ratios,
      per_second: Math.min(...perSecond),
      p50_ms: worst('p50_ms', slow),
      p99_ms: worst('p99_ms', slow),
      missed: sum('missed'),
      wrong_ids: sum('wrong_ids'),
      not_visible: sum('not_visible'),
    },
  };
}

/** On the same servers. */
async function measureLine(outer: Ground, { transport, channel }: PushLine, size: PushSize): Promise<ReportRow[]> {
  await using resources = new AsyncDisposableStack();
  const { servers, install, signal, progress } = outer;
  const ground = await openGround({ servers, transport, install, settings: SETTINGS, resources, signal, progress });
  const { stores } = ground;
  const circle = await gatherCircle(stores, { count: size.users, contacts: size.contacts });
  await buildIndexes(stores, circle.users);
  const followers = followersIn(circle.users, size.contacts);
  const followersOf = (owner: Id) => followers.get(owner) ?? [];
  let ledger = new Ledger();
  const onNotification: OnNotification = (user, entries, notification) => {
    const receivedAt = performance.now();
    ledger.notifications++;
    for (const entry of entries) ledger.told({ user, ...entry, notification, receivedAt });
  };
  await startAll(ground, { channel, users: circle.users, onNotification });
  const uploads = new SteadyUploads(stores.pool, circle.users, () => ledger);
  const rows: ReportRow[] = [];
  progress(`${channel}, tasks by ${transport}: ${size.users} watches`);
  await uploads.run(Math.max(1, (size.rates[0] ?? 1) / size.contacts), size.warmUpSeconds, signal);
  const patience = { timeoutMs: size.toldWithinSeconds * 1000, signal };
  await untilTold(ledger, followersOf, patience);
  for (const rate of size.rates) {
    ledger = new Ledger();
    const from = performance.now();
    await uploads.run(rate / size.contacts, size.seconds, signal);
    const account = await untilTold(ledger, followersOf, patience);
    const per_second = Math.round((ledger.notifications * 1000) / (performance.now() - from));
    rows.push({ channel, transport, rate, per_second, ...latencyOf(account), ...faultsOf(account) });
    progress(`${rate} a second: ${JSON.stringify(rows.at(-1))}`);
  }
  return rows;
}

function latencyOf({ times }: PushAccount) {
  return { p50_ms: rounded(quantile(times, 0.5), 3), p99_ms: rounded(quantile(times, 0.99), 3) };
}

function faultsOf({ missed, wrongIds, notVisible }: PushAccount) {
  return { missed, wrong_ids: wrongIds, not_visible: notVisible };
}

const LOOK_MS = 100;

async function untilTold(
  ledger: Ledger,
  followersOf: (owner: Id) => readonly Id[],
  patience: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<PushAccount> {
  const look = async () => ledger.account(followersOf);
  const isTold = ({ missed }: PushAccount) => missed === 0;
  return await poll(look, isTold, { everyMs: LOOK_MS, ...patience });
}

function followersIn(users: readonly Id[], contacts: number): ReadonlyMap<Id, readonly Id[]> {
  const pairs = users.flatMap((_, position) => contactsOf(users, position, contacts));
  const byOwner = Map.groupBy(pairs, ({ contact }) => contact);
  return new Map([...byOwner].map(([owner, own]) => [owner, own.map(({ user }) => user)]));
}

interface PushStart {
  readonly channel: PushLine['channel'];
  readonly users: readonly Id[];
  readonly onNotification: OnNotification;
}

/** Starts the processes, the receiver and the watches, and waits until everybody watches. */
async function startAll(ground: Ground, { channel, users, onNotification }: PushStart): Promise<void> {
  const { processGroup, stores, signal } = ground;
  const recency = (command: string) => processGroup.start({ name: command, module: RECENCY, args: [command] });
  recency('relay');
  recency('consume');
  if (channel !== 'stream') recency('notify');
  const api = await launchApi(processGroup);
  await api.untilReady();
  await settle(stores.raiseBarrier, signal);
  if (channel === 'stream') {
    await receiveStreams(ground, { url: api.url, users, limit: DEFAULT_LIMIT }, onNotification);
    return;
  }
  const receive = channel === 'kafka' ? receiveRecords : receiveWebhooks;
  const { watch } = await receive(ground, onNotification);
  const client = new MeasuringClient(api.url);
  try {
    for (const user of users) {
      const { status, body } = await client.post('/v1/watches', JSON.stringify({ user, ...watch }));
      if (status !== 201) throw new Error(`a watch was answered with ${status}: ${body}`);
    }
  } finally {
    client.close();
  }
}
