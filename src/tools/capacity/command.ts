import { type Command, Option } from 'commander';
import { amount, whole } from '../../cli/arguments.ts';
import { action } from '../../cli/define-command.ts';
import { UsageError } from '../../cli/exit-code.ts';
import { PRODUCTS } from './constants.ts';
import type { SiteFigures } from './site.ts';

type SizeFlags = Omit<SiteFigures, 'followersPerUploader'> & {
  readonly followersPerUploader?: number;
  readonly masters?: number;
};

/** Where none are asked for. */
const MASTERS = [1, 3, 6, 12];

const MOST = 1e12;

export function defineSize(command: Command): void {
  command
    .addOption(count('--users <n>', 'people of the site', 1).makeOptionMandatory())
    .addOption(mean('--contacts-per-user <n>', 'the mean', 0.01).default(100))
    .addOption(count('--most-contacts <n>', 'of the user who has the most', 1).default(20_000))
    .addOption(mean('--uploads-per-day <n>', 'of each user, the mean').default(1))
    .addOption(mean('--followers-per-uploader <n>', 'the mean over the uploads (as many as contacts per user)'))
    .addOption(mean('--contact-changes-per-day <n>', 'of each user, the mean').default(0.1))
    .addOption(mean('--reads-per-second <n>', 'answers, at the peak').default(1_000))
    .addOption(mean('--peak-factor <n>', 'the busiest seconds over the mean', 1).default(3))
    .addOption(new Option('--max <n>', 'contacts in an index').argParser(whole(1, 127)).default(24))
    .addOption(count('--index-above <n>', 'contacts up to which a user has no index', 0).default(64))
    .addOption(mean('--keep <n>', 'the factor RECENCY_KEEP: 0 no indexes, a million all').default(1))
    .addOption(count('--celebrity-followers <n>', 'of one person', 1).default(10_000_000))
    .addOption(new Option('--masters <n>', `of a Redis Cluster (${MASTERS.join(', ')})`).argParser(whole(1, 256)))
    .addOption(new Option('--transport <name>', 'of the tasks').choices(['kafka', 'streams']).default('kafka'))
    .addOption(new Option('--database <name>', 'which was measured').choices(PRODUCTS).default('mysql'));
  action<SizeFlags>(command, async (output, { masters, ...flags }) => {
    const [{ sizingOf }, { sizingTable, sizingView }] = await Promise.all([
      import('./sizing.ts'),
      import('./size-text.ts'),
    ]);
    const site: SiteFigures = { ...flags, followersPerUploader: flags.followersPerUploader ?? flags.contactsPerUser };
    refuseImpossible(site);
    const sizing = sizingOf(site, masters === undefined ? MASTERS : [masters]);
    await output.result(sizingView(site, sizing), () => sizingTable(site, sizing));
  });
}

/** @throws UsageError */
function refuseImpossible({ contactsPerUser, mostContacts }: SiteFigures): void {
  if (contactsPerUser <= mostContacts) return;
  throw new UsageError(`--contacts-per-user ${contactsPerUser} is more than --most-contacts ${mostContacts}.`);
}

function count(flags: string, says: string, least: number): Option {
  return new Option(flags, says).argParser(whole(least, MOST));
}

function mean(flags: string, says: string, least = 0): Option {
  return new Option(flags, says).argParser(amount(least, MOST));
}
