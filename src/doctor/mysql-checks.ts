import { mysqlAddress } from '../app/open-mysql.ts';
import { compareSettings } from '../app/shared-settings.ts';
import { otherSizes, sizeText } from '../app/shared-sizes.ts';
import type { CaptureProblem } from '../capture/capture-checks.ts';
import { checkCapture } from '../capture/check.ts';
import { readMapping } from '../capture/process.ts';
import type { Config } from '../config/config.ts';
import { CONTACTS } from '../contracts/kind.ts';
import { checkSchema, GRANTS, missingGrants } from '../health/check-mysql.ts';
import { type Checks, fine, messageOf, problem, type Verdict, warning } from '../health/finding.ts';
import type { Database } from '../mysql/database.ts';
import { isOfRow } from '../mysql/faults.ts';
import { type EpochState, readEpochState } from '../mysql/losses.ts';
import { readServer } from '../mysql/server-record.ts';
import { type DifferingSetting, readRememberedSettings } from '../mysql/settings.ts';
import { type KindDatabase, kindDatabases } from '../mysql/statements/kind-statements.ts';
import { siteOf } from '../site/site.ts';
import {
  durabilityVerdict,
  primaryVerdict,
  readServers,
  replicationVerdict,
  sessionVerdict,
  versionVerdict,
} from './mysql-server-checks.ts';
import { audiencesVerdict, pairsVerdict, speedVerdict, timesVerdict } from './row-verdicts.ts';
import { columnsVerdict, lastUploadsVerdict, plansVerdict, volatileVerdict } from './view-verdicts.ts';

/** Checks MySQL. Nothing is written. */
export function mysqlChecks(primary: Database, config: Config): Checks {
  const { user } = mysqlAddress(config.mysqlUrl);
  const site = siteOf(config);
  const kinds = kindDatabases(site, primary);
  return {
    version: async () => versionVerdict(String((await primary.rows('SELECT VERSION()', []))[0]?.[0])),
    primary: async () => primaryVerdict(await readServers(primary)),
    session: () => sessionVerdict(primary),
    durability: async () => durabilityVerdict(await readServer(primary)),
    replication: () => replicationVerdict(primary),
    schema: async () => {
      await checkSchema(primary, user, site);
      return fine('all tables and views exist');
    },
    'column types': () => columnsVerdict(primary, site),
    permissions: () => permissionsVerdict(primary, user),
    indexes: () => plansVerdict(kinds),
    ...ofEach(kinds, 'speed', speedVerdict),
    ...ofEach(kinds, 'last uploads', lastUploadsVerdict),
    ...ofEach(kinds, 'pairs', pairsVerdict),
    ...ofEach(kinds, 'times', timesVerdict),
    ...ofEach(kinds, 'audiences', audiencesVerdict),
    'rows decide': () => volatileVerdict(primary, site.kinds),
    ...(config.captureMapping === undefined
      ? {}
      : { capture: () => captureVerdict(primary, config, config.captureMapping ?? '') }),
    epoch: async () => epochVerdict(await readEpochState(primary)),
    'shared settings': () => sharedSettingsVerdict(primary, config),
  };
}

/** A check that is made of each kind; that of contacts has the name alone. */
function ofEach(
  kinds: readonly KindDatabase[],
  check: string,
  verdict: (kind: KindDatabase) => Promise<Verdict>,
): Checks {
  const nameOf = ({ statements: { kind } }: KindDatabase) =>
    kind.name === CONTACTS.name ? check : `${check} of ${kind.name}`;
  return Object.fromEntries(kinds.map((kind) => [nameOf(kind), () => unlessUnreadable(kind, verdict)]));
}

/** A row that breaks a question to the views is a finding; MySQL does not say which row it is. */
async function unlessUnreadable(
  kind: KindDatabase,
  verdict: (kind: KindDatabase) => Promise<Verdict>,
): Promise<Verdict> {
  try {
    return await verdict(kind);
  } catch (error) {
    if (!isOfRow(error)) throw error;
    const { view, photosView } = kind.statements.kind;
    return problem(
      `MySQL cannot read a row of ${view} or ${photosView}: ${messageOf(error)}`,
      'Correct the row or the view; `recency verify --users all` names the users concerned.',
    );
  }
}

function epochVerdict({ epoch: { token, why, bumpedAt }, suspended, losses }: EpochState): Verdict {
  const text = `since ${new Date(bumpedAt).toISOString()}: ${why}`;
  if (!suspended) return fine(`${token} ${text}`);
  const places = losses.map(({ place, end }) => `${place} (up to ${end ?? '?'})`).join('; ');
  return warning(
    `suspended ${text}\nNo index is trusted or built until the consumers have caught up in ${places}`,
    'Is a `recency consume` running, and does it keep up? `recency epoch bump` ends the suspension at once.',
  );
}

/** The prefix of topics says that Debezium reads the log. */
const readingOf = ({ captureTopicPrefix }: Config) => (captureTopicPrefix === undefined ? 'binlog' : 'debezium');

/** Only where the mapping is named for every process: RECENCY_CAPTURE_MAPPING. */
async function captureVerdict(primary: Database, config: Config, file: string): Promise<Verdict> {
  const mapping = await readMapping(file, config);
  const checked = await checkCapture(primary, mapping, siteOf(config).kinds, readingOf(config));
  const { problems, warnings, behind } = checked;
  const textOf = (all: readonly CaptureProblem[]) => all.map(({ what }) => what).join('; ');
  const fixOf = (all: readonly CaptureProblem[]) => [...new Set(all.map(({ fix }) => fix))].join(' ');
  if (problems.length > 0) return problem(textOf(problems), fixOf(problems));
  const covered = `the binary log and ${file} cover the ${behind.tables.length} tables behind the views`;
  return warnings.length > 0 ? warning(`${covered}; ${textOf(warnings)}`, fixOf(warnings)) : fine(covered);
}

/** Each process may have an account of its own; doctor sees only its own. */
async function permissionsVerdict(primary: Database, user: string): Promise<Verdict> {
  const lacking: string[] = [];
  const grants = new Set<string>();
  for (const [account, needed] of Object.entries(GRANTS)) {
    const missing = await missingGrants(primary, needed, user);
    if (missing.length > 0) lacking.push(account);
    for (const grant of missing) grants.add(grant);
  }
  if (lacking.length === 0) return fine(`user "${user}" has the privileges of every process`);
  const detail = `user "${user}" lacks privileges of ${lacking.join(', ')}`;
  const fix = `Do these have their own accounts? Otherwise, as an administrator: ${[...grants].join('; ')}.`;
  return lacking.length < Object.keys(GRANTS).length ? warning(detail, fix) : problem(detail, fix);
}

async function sharedSettingsVerdict(primary: Database, config: Config): Promise<Verdict> {
  const remembered = await readRememberedSettings(primary);
  const sizes = otherSizes(config, remembered).filter(({ given }) => given);
  if (sizes.length > 0) return problem(sizes.map(sizeText).join('\n'), 'A process with these settings does not start.');
  return settingsVerdict(await compareSettings(primary, config));
}

/** @param found the settings that differ here */
export function settingsVerdict(found: readonly DifferingSetting[]): Verdict {
  if (found.length === 0) return fine('the same as in the other processes');
  const text = found.map(({ name, here, remembered }) => `${name} is ${here} here and ${remembered} there`).join('; ');
  return problem(text, 'Set them the same everywhere, or run `recency config adopt` if the change is intended.');
}
