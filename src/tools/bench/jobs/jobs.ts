import process from 'node:process';
import { Database } from '../../../mysql/database.ts';
import { MeteredDatabase } from '../../../mysql/metered-database.ts';
import { quantile } from '../../harness/latency.ts';
import { openSitePool } from '../../reference-site/transaction.ts';
import type { Bench, Ground } from '../bench.ts';
import { buildIndexes } from '../circle.ts';
import { type Measurements, rounded } from '../report.ts';
import { askAgain, RecordingDatabase } from '../statements.ts';
import { inTurns, secondsOf, type Turn } from '../turns.ts';
import { doJob, gatherHouseholds, type Household, type HouseholdsSize, type JobKind, jobPartsOn } from './job-kinds.ts';

export interface JobsSize extends HouseholdsSize {
  readonly rounds: number;
  readonly warmUp: number;
}

const SIZES = {
  full: { few: { users: 1_500, contacts: 100 }, many: { users: 150, contacts: 1_000 }, rounds: 3, warmUp: 1 },
  quick: { few: { users: 120, contacts: 20 }, many: { users: 10, contacts: 100 }, rounds: 1, warmUp: 0 },
};

export const backfill: Bench<JobsSize> = {
  name: 'backfill',
  summary: 'users per second whose index is built, against the bare SQL that this needs',
  transport: 'streams',
  ...SIZES,
  measure: (ground, size) => measure(ground, size, ['backfill']),
};

export const repair: Bench<JobsSize> = {
  name: 'repair',
  summary: 'users per second that are compared with MySQL, against the bare SQL that this needs',
  transport: 'streams',
  ...SIZES,
  measure: (ground, size) => measure(ground, size, ['repair_dry_run', 'verify']),
};

interface JobRow {
  readonly job: JobKind;
  readonly arm: 'recency' | 'bare_sql';
  readonly contacts: number;
}

type MeasuredJob = JobRow & { readonly users_per_second: number };

interface Notes {
  readonly statements: number;
  readonly atOnce: number;
  rowsPerUser: number;
  readonly growth: number[];
}

async function measure(ground: Ground, size: JobsSize, kinds: readonly JobKind[]): Promise<Measurements> {
  const { stores, progress, signal } = ground;
  const households = await gatherHouseholds(ground, size);
  for (const { users } of households) await buildIndexes(stores, users);
  progress(households.map(({ users, contacts }) => `${users.length} users with ${contacts} contacts`).join(', '));
  const notes = new Map<string, Notes>();
  const turns: Turn<JobRow>[][] = [];
  for (const household of households) {
    for (const kind of kinds) turns.push(await turnsOf(ground, kind, household, notes));
  }
  const measured = await inTurns(turns, { ...size, signal });
  const rows = measured.map(({ median, ...row }) => ({ ...row, users_per_second: Math.round(median) }));
  return { rows: rows.map((row) => ({ ...row, ...noted(row, notes) })), ratios: jobRatios(rows) };
}

/** The job as its command runs it, and its statements replayed by bare mysql2. */
async function turnsOf(
  ground: Ground,
  job: JobKind,
  household: Household,
  notes: Map<string, Notes>,
): Promise<Turn<JobRow>[]> {
  const { users, contacts } = household;
  const parts = jobPartsOn(ground, job === 'verify' ? Database : MeteredDatabase);
  const recording = jobPartsOn(ground, RecordingDatabase);
  await doJob(job, recording, household);
  const { statements, mostAtOnce } = recording.primary;
  const pool = ground.resources.adopt(openSitePool(ground.namespace.config.mysqlUrl, mostAtOnce), (opened) =>
    opened.end(),
  );
  const own: Notes = { statements: statements.length, atOnce: mostAtOnce, rowsPerUser: 0, growth: [] };
  notes.set(`${job} ${contacts}`, own);
  const recency: Turn<JobRow> = {
    row: { job, arm: 'recency', contacts },
    take: async () => {
      const before = process.memoryUsage.rss();
      const seconds = await secondsOf(async () => {
        own.rowsPerUser = (await doJob(job, parts, household)) / users.length;
      });
      own.growth.push(process.memoryUsage.rss() - before);
      return users.length / seconds;
    },
  };
  const bare: Turn<JobRow> = {
    row: { job, arm: 'bare_sql', contacts },
    take: async () => users.length / (await secondsOf(() => askAgain(pool, statements, mostAtOnce))),
  };
  return [recency, bare];
}

function noted({ job, arm, contacts }: JobRow, notes: ReadonlyMap<string, Notes>) {
  const own = notes.get(`${job} ${contacts}`);
  if (own === undefined) return {};
  if (arm === 'bare_sql') return { statements: own.statements, at_once: own.atOnce };
  const rows = job === 'verify' ? {} : { rows_read_per_user: rounded(own.rowsPerUser) };
  return { ...rows, rss_growth_mb: rounded(quantile(own.growth, 0.5) / 1024 ** 2, 2) };
}

/** `over_bare_sql` is for the first job and the fewest contacts. */
export function jobRatios(rows: readonly MeasuredJob[]): Record<string, number> {
  const [first] = rows;
  const speed = ({ job, contacts }: JobRow, arm: JobRow['arm']) =>
    rows.find((row) => row.job === job && row.contacts === contacts && row.arm === arm)?.users_per_second ?? Number.NaN;
  const own = rows.filter(({ arm }) => arm === 'recency');
  const nameOf = ({ job, contacts }: JobRow) =>
    `${job === first?.job ? '' : `${job}_`}over_bare_sql${contacts === first?.contacts ? '' : `_${contacts}`}`;
  return Object.fromEntries(own.map((row) => [nameOf(row), rounded(row.users_per_second / speed(row, 'bare_sql'))]));
}
