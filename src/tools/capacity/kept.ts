import { type Allowance, allowanceOf, ENDLESS } from '../../index/allowance.ts';
import { powerLawOf, type SiteFigures, shareAbove } from './site.ts';

/** What the rules about small users and unread indexes make of a site. */
export interface KeptIndexes {
  /** Indexes that are there at a usual moment. */
  readonly indexes: number;
  /** The share of the changes of all users' indexes that is written: those who have many contacts have more of both. */
  readonly writtenShare: number;
  /** Mean number of processors that reads and changes keep busy: the service's, MySQL's and Redis's. */
  readonly processors: Readonly<Record<'rules' | 'everybody' | 'nobody', number>>;
}

type KeptFigures = Pick<
  SiteFigures,
  | 'users'
  | 'contactsPerUser'
  | 'mostContacts'
  | 'uploadsPerDay'
  | 'followersPerUploader'
  | 'contactChangesPerDay'
  | 'readsPerSecond'
  | 'peakFactor'
  | 'indexAbove'
  | 'keep'
>;

/** Processor time, s (`npm run bench -- pays`): a plain query by rows, an answer by an index, a change that is written to one. */
const PLAIN = { fixed: 240e-6, each: 2e-6 };
const NARROWED = 300e-6;
const CHANGE = 15e-6;

/** Assumed: half of the users are dormant; the reads of the others are log-normal, as in `bench pays`. */
const ACTIVE = 0.5;

/** Standard normal quantiles in the middle of sixteen equal parts: reads are exp of them. */
const NORMAL = [0.0784, 0.237, 0.4023, 0.5791, 0.7764, 1.01, 1.318, 1.8627].flatMap((z) => [z, -z]);

const SECONDS_A_DAY = 86_400;

/** Groups of users by their contacts: each has up to this many times the contacts of the one before. */
const STEP = 1.15;

/** @param site its figures, of which reads and uploads are means over the day */
export function keptOf(site: KeptFigures): KeptIndexes {
  const readsADay = (site.readsPerSecond / site.peakFactor / site.users / ACTIVE) * SECONDS_A_DAY;
  const meanOfReads = NORMAL.reduce((sum, z) => sum + Math.exp(z), 0) / NORMAL.length;
  const reads = [0, ...NORMAL.map((z) => (Math.exp(z) / meanOfReads) * readsADay)];
  // Contacts who have more followers upload more.
  const uploadsADay = (site.uploadsPerDay * site.followersPerUploader) / site.contactsPerUser;
  const sums = { kept: 0, changes: 0, written: 0, rules: 0, everybody: 0, nobody: 0 };
  for (const { rows, share } of groupsOf(site)) {
    const changes = rows * uploadsADay + 2 * site.contactChangesPerDay;
    const allowance = allowanceOf(rows, site);
    const plain = PLAIN.fixed + PLAIN.each * rows;
    for (const [i, read] of reads.entries()) {
      const people = share * site.users * (i === 0 ? 1 - ACTIVE : ACTIVE / NORMAL.length);
      const kept = keptShare({ allowance, read, changes });
      sums.kept += people * kept;
      sums.changes += people * changes;
      sums.written += people * changes * kept;
      sums.rules += people * (read * (kept * NARROWED + (1 - kept) * plain) + changes * kept * CHANGE);
      sums.everybody += people * (read * NARROWED + changes * CHANGE);
      sums.nobody += people * read * plain;
    }
  }
  const processors = {
    rules: sums.rules / SECONDS_A_DAY,
    everybody: sums.everybody / SECONDS_A_DAY,
    nobody: sums.nobody / SECONDS_A_DAY,
  };
  return { indexes: sums.kept, writtenShare: sums.changes === 0 ? 0 : sums.written / sums.changes, processors };
}

/**
 * How much of the time a user has an index, whose reads and changes, of a day, come at random. It ends with the first run of as many
 * changes without a read as its allowance, and begins with the first read within a day after another.
 */
export function keptShare(of: {
  readonly allowance: Allowance | undefined;
  readonly read: number;
  readonly changes: number;
}): number {
  const { allowance, read, changes } = of;
  if (allowance === ENDLESS) return 1; // a backfill has built it
  if (allowance === undefined || read === 0) return 0;
  const isChange = changes / (changes + read);
  const life = (isChange ** -allowance - 1) / read;
  if (life === Number.POSITIVE_INFINITY) return 1;
  const within = (days: number) => 1 - Math.exp(-read * Math.max(0, days));
  const without = (1 + (1 - within(1 - allowance / changes)) / within(1)) / read;
  return life / (life + without);
}

/** Users by the number of their contacts, and their share of all; those with none are left out. */
function* groupsOf({ contactsPerUser, mostContacts, indexAbove }: KeptFigures): Generator<{
  readonly rows: number;
  readonly share: number;
}> {
  const law = powerLawOf(contactsPerUser, mostContacts);
  for (let least = 1; least <= mostContacts; ) {
    const next = Math.max(least + 1, Math.floor(least * STEP));
    const end = least <= indexAbove && next > indexAbove ? indexAbove + 1 : Math.min(next, mostContacts + 1);
    const share = shareAbove(law, least - 1) - (end > mostContacts ? 0 : shareAbove(law, end - 1));
    if (share > 0) yield { rows: Math.sqrt(least * (end - 1)), share };
    least = end;
  }
}
