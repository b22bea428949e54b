import type { Config } from '../config/config.ts';
import type { Database } from '../mysql/database.ts';
import { findPlanProblems } from '../mysql/explain-plan.ts';
import { type EpochState, readEpochState } from '../mysql/losses.ts';
import { findColumnProblems } from '../mysql/view-columns.ts';
import { checkSchema } from '../start/check-schema.ts';
import { mysqlAddress } from '../start/open-mysql.ts';
import { GRANTS, missingGrants } from '../start/privileges.ts';
import { compareSettings } from '../start/shared-settings.ts';
import { type Checks, fine, problem, type Verdict, warning } from './finding.ts';

const OLDEST = { MariaDB: [10, 6], MySQL: [8, 0] } as const;

/** What Recency needs of MySQL. Nothing is written. */
export function mysqlChecks(primary: Database, config: Config): Checks {
  const { user } = mysqlAddress(config.mysqlUrl);
  return {
    version: async () => versionVerdict(String((await primary.rows('SELECT VERSION()', []))[0]?.[0])),
    primary: async () => {
      const [row] = await primary.rows('SELECT @@global.read_only', []);
      if (Number(row?.[0]) === 0) return fine('takes writes');
      return problem('takes no writes (read_only)', 'Set RECENCY_MYSQL_URL to the primary.');
    },
    schema: async () => {
      await checkSchema(primary, user);
      return fine('tables and views are there');
    },
    'column types': () => columnsVerdict(primary),
    permissions: () => permissionsVerdict(primary, user),
    indexes: () => plansVerdict(primary),
    epoch: async () => epochVerdict(await readEpochState(primary)),
    'shared settings': () => sharedSettingsVerdict(primary, config),
  };
}

function epochVerdict({ epoch: { token, why, bumpedAt }, suspended, losses }: EpochState): Verdict {
  const text = `since ${new Date(bumpedAt).toISOString()}: ${why}`;
  if (!suspended) return fine(`${token} ${text}`);
  const places = losses.map(({ place, end }) => `${place} (up to ${end ?? '?'})`).join('; ');
  return warning(
    `suspended ${text}\nNo index is trusted or built until the consumers have caught up in ${places}`,
    'Is a `recency consume` running, and does it keep up? `recency epoch bump` ends the suspension by hand.',
  );
}

function versionVerdict(version: string): Verdict {
  const product = /mariadb/i.test(version) ? 'MariaDB' : 'MySQL';
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  const [oldestMajor, oldestMinor] = OLDEST[product];
  const text = `${product} ${version}`;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return fine(text);
  return problem(text, 'Recency needs MariaDB 10.6 or MySQL 8.0.19 at least: upgrade it.');
}

/** The processes may have an account each; doctor sees only its own. */
async function permissionsVerdict(primary: Database, user: string): Promise<Verdict> {
  const lacking: string[] = [];
  const grants = new Set<string>();
  for (const [account, needed] of Object.entries(GRANTS)) {
    const missing = await missingGrants(primary, needed, user);
    if (missing.length > 0) lacking.push(account);
    for (const grant of missing) grants.add(grant);
  }
  if (lacking.length === 0) return fine(`user "${user}" may do what every process does`);
  const detail = `user "${user}" may not do what ${lacking.join(', ')} must do`;
  const fix = `Do these have accounts of their own? Otherwise, as an administrator: ${[...grants].join('; ')}.`;
  return lacking.length < Object.keys(GRANTS).length ? warning(detail, fix) : problem(detail, fix);
}

async function columnsVerdict(primary: Database): Promise<Verdict> {
  const problems = await findColumnProblems(primary);
  if (problems.length === 0) return fine('what must be a whole number in the views is one');
  const text = problems.map(({ column, type }) => `${column} is of type ${type}`).join('; ');
  const fixes = [...new Set(problems.map(({ fix }) => fix))].join(' ');
  if (problems.some(({ works }) => !works)) return problem(text, fixes);
  return warning(`${text}: fractions of a millisecond are cut off`, fixes);
}

async function plansVerdict(primary: Database): Promise<Verdict> {
  try {
    const problems = await findPlanProblems(primary);
    if (problems.length === 0) return fine('the views merge, and every question is answered from an index');
    const text = problems.map(({ question, finding }) => `${question}: ${finding}`).join('; ');
    return problem(text, [...new Set(problems.map(({ mend }) => mend))].join(' '));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ER_VIEW_NO_EXPLAIN')) throw error;
    return warning(
      'not known: this user may not EXPLAIN the views',
      'Run doctor as a user who may read the tables behind them.',
    );
  }
}

async function sharedSettingsVerdict(primary: Database, config: Config): Promise<Verdict> {
  const differences = await compareSettings(primary, config);
  if (differences.length === 0) return fine('as the other processes have them');
  const text = differences
    .map(({ name, here, remembered }) => `${name} is ${here} here and ${remembered} there`)
    .join('; ');
  return differences.some(({ refused }) => refused)
    ? problem(text, 'Set them the same everywhere; `recency config adopt` when the change is meant.')
    : warning(text, 'Indexes take the new size when they are next written; `recency repair` does it at once.');
}
