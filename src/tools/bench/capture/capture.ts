import { contactsAmong } from '../../../app/jobs.ts';
import { captureBarrier } from '../../../index/index-drain-barrier.ts';
import { CapturingProcess, mappingFileOf, untilCaptured } from '../../harness/processes/capturing.ts';
import { RECENCY } from '../../harness/processes/process-group.ts';
import { settle } from '../../harness/stores.ts';
import { CONTACTS_MAPPING } from '../../reference-site/capture-mapping.ts';
import { loadGraph } from '../../reference-site/load-graph.ts';
import type { Bench, Ground } from '../bench.ts';
import { buildIndexes, contactsOf, gatherCircle } from '../circle.ts';
import { ContactChanges, shuffledByStep } from '../contact-changes.ts';
import { type Measurements, rounded } from '../report.ts';
import { measureBacklog } from './backlog.ts';
import { killWhileWriting } from './kills.ts';
import { measureLatency, probedContacts, VIEWER } from './latency.ts';
import type { CapturedSite, CaptureSize } from './site.ts';

/** The greatest ids that there are: 2^64 − 1 is one of them. */
const GREATEST = 2n ** 64n - 1n;

/** What capture needs to take over soon from one that was killed. */
const SETTINGS = { MYSQL_TIMEOUT_MS: '4000', REDIS_TIMEOUT_MS: '2000' };

/** The reference site without any row in the outbox: its changes are captured from the binary log. */
export const capture: Bench<CaptureSize> = {
  name: 'capture',
  summary: 'changes captured from the binary log: row changes a second, ms from a commit to the index',
  transport: 'kafka',
  feed: 'capture',
  settings: () => SETTINGS,
  full: {
    ...{ users: 2_000, contacts: 50, probed: 10_000, consumers: 2, rounds: 3 },
    ...{ rate: 500, seconds: 30, warmUpSeconds: 4, kills: 2 },
  },
  quick: {
    ...{ users: 100, contacts: 10, probed: 300, consumers: 1, rounds: 1 },
    ...{ rate: 50, seconds: 0.3, warmUpSeconds: 0.1, kills: 1 },
  },
  measure,
};

async function measure(ground: Ground, size: CaptureSize): Promise<Measurements> {
  const { stores, processGroup, signal, progress, resources } = ground;
  const first = GREATEST - BigInt(size.users) + 1n;
  const circle = await gatherCircle(stores, { count: size.users, contacts: size.contacts, first });
  const probed = probedContacts(size.probed);
  await loadGraph(stores.pool, {
    users: [VIEWER, ...probed].map((id) => ({ id })),
    contacts: probed.map((contact) => ({ user: VIEWER, contact })),
  });
  const pairs = shuffledByStep(
    circle.users.flatMap((_, position) => contactsOf(circle.users, position, size.contacts)),
  );
  const consumers = Array.from({ length: size.consumers }, (_, i) =>
    processGroup.start({ name: `consumer ${i + 1}`, module: RECENCY, args: ['consume'] }),
  );
  const mapping = mappingFileOf(CONTACTS_MAPPING, resources);
  const capturing = await CapturingProcess.start(processGroup, mapping);
  await untilCaptured(stores.primary, processGroup);
  await settle(stores.raiseBarrier, signal);
  await buildIndexes(stores, [...circle.users, VIEWER]);
  const site: CapturedSite = { mapping, pairs, capturing, consumers };

  progress(`a backlog of ${pairs.length} changed rows, ${size.rounds} times`);
  const backlog = await measureBacklog(ground, site, size.rounds);
  progress(`${size.rate} changes a second for ${size.seconds} s`);
  const load = new ContactChanges(stores.pool, pairs);
  const latency = await measureLatency(ground, load, { ...size, contacts: probed });
  progress(`killed ${size.kills} times meanwhile`);
  const killed = await killWhileWriting(ground, site, load, size);

  const counts = await checked(ground, [...circle.users, VIEWER]);
  const outbox = await stores.primary.rows('SELECT COUNT(*) FROM recency_outbox', []);
  return {
    rows: [
      { part: 'backlog', ...backlog },
      { part: 'latency', ...latency.row },
      { part: 'kills', ...killed },
      { part: 'check', users: circle.users.length + 1, ...counts, outbox_rows: Number(outbox[0]?.[0]) },
    ],
    ratios: {
      rows_per_second: backlog.rows_per_second,
      commit_to_index_p99_ms: rounded(latency.p99Ms),
      missed: counts.missed + latency.missed,
      wrong: counts.wrong,
    },
  };
}

/** Compares every index with MySQL, once everything that was committed is captured and applied. */
async function checked({ stores, signal }: Ground, users: readonly string[]) {
  await settle(captureBarrier(stores.primary), signal);
  await settle(stores.raiseBarrier, signal);
  const { counts } = await contactsAmong(stores.jobs).check.indexes(users, signal);
  const { missing, hole } = counts.classes;
  // What a lost task leaves: an addition that is not there, a removal that is.
  return {
    wrong: counts.wrong,
    missed: missing + hole + counts.classes.ghost,
    cold: counts.cold,
    unsettled: counts.unsettled,
  };
}
