import { readMapping } from '../app/capture.ts';
import { checkSchema, GRANTS, missingGrants } from '../app/check-mysql.ts';
import { mysqlAddress } from '../app/open-mysql.ts';
import { compareSettings } from '../app/shared-settings.ts';
import { checkCapture } from '../capture/check.ts';
import type { Config } from '../config/config.ts';
import { CONTACTS, type Kind, kindsNamed } from '../contracts/kind.ts';
import { isSupported, mysqlProductOf, OLDEST_VERSIONS } from '../contracts/server-versions.ts';
import { type Checks, fine, problem, type Verdict, warning } from '../health/finding.ts';
import type { CaptureProblem } from '../mysql/capture-checks.ts';
import type { Database } from '../mysql/database.ts';
import { isExplainRefused, StatementTooSlow } from '../mysql/faults.ts';
import { ofKind } from '../mysql/kind-database.ts';
import { uploadsFrom } from '../mysql/last-upload.ts';
import { type EpochState, readEpochState } from '../mysql/losses.ts';
import { isAnyPhoto } from '../mysql/newest-photos.ts';
import { readServer, type ServerState, withoutRun } from '../mysql/server-record.ts';
import { findSessionProblems } from '../mysql/session.ts';
import { findColumnProblems, findPlanProblems } from '../mysql/view-checks.ts';
import { findVolatileViews } from '../mysql/volatile-views.ts';
import { pairText } from '../repair/truth-check.ts';
import { sampleTruth } from '../repair/truth-sample.ts';

/** Checks MySQL. Nothing is written. */
export function mysqlChecks(primary: Database, config: Config): Checks {
  const { user } = mysqlAddress(config.mysqlUrl);
  const kinds = kindsNamed(config.kinds);
  return {
    version: async () => versionVerdict(String((await primary.rows('SELECT VERSION()', []))[0]?.[0])),
    primary: async () => primaryVerdict(await readServers(primary)),
    session: () => sessionVerdict(primary),
    durability: async () => durabilityVerdict(await readServer(primary)),
    schema: async () => {
      await checkSchema(primary, user, kinds);
      return fine('all tables and views exist');
    },
    'column types': () => columnsVerdict(primary, kinds),
    permissions: () => permissionsVerdict(primary, user),
    indexes: () => plansVerdict(primary, kinds),
    ...Object.fromEntries(
      kinds.map((kind) => [nameOf('last uploads', kind), () => lastUploadsVerdict(ofKind(primary, kind), kind)]),
    ),
    'rows decide': () => volatileVerdict(primary, kinds),
    ...(config.captureMapping === undefined
      ? {}
      : { capture: () => captureVerdict(primary, config, config.captureMapping ?? '') }),
    epoch: async () => epochVerdict(await readEpochState(primary)),
    'shared settings': () => sharedSettingsVerdict(primary, config),
  };
}

/** A check that is made of each kind; that of contacts has the name alone. */
function nameOf(check: string, { name }: Kind): string {
  return name === CONTACTS.name ? check : `${check} of ${name}`;
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

/** Sessions that are opened at once, so that a balancer or splitter shows the servers behind it. */
const SESSIONS = 6;

/** The servers that answer, each once. @throws DatabaseUnavailable */
async function readServers(primary: Database): Promise<ServerState[]> {
  const states = await Promise.all(Array.from({ length: SESSIONS }, () => readServer(primary)));
  return [...new Map(states.map((state) => [withoutRun(state.identity), state])).values()];
}

function primaryVerdict(servers: readonly ServerState[]): Verdict {
  const [server] = servers;
  if (server !== undefined && servers.length === 1) return serverVerdict(server);
  const names = servers.map(({ takesWrites, description }) => `${description}${takesWrites ? '' : ' (read_only)'}`);
  return problem(
    `several servers answer in turns: ${names.sort().join('; ')}`,
    'Recency needs one server that takes writes, and answers are only exact from that one: set RECENCY_MYSQL_URL to an ' +
      'address that leads to the primary alone, past any balancer or read/write splitter.',
  );
}

function serverVerdict({ takesWrites, isOnRecord, recorded, description }: ServerState): Verdict {
  if (!takesWrites) return problem('takes no writes (read_only)', 'Set RECENCY_MYSQL_URL to the primary.');
  if (isOnRecord)
    return fine(
      recorded === undefined
        ? `takes writes: ${description}`
        : `takes writes, and is the one on record: ${description}`,
    );
  return warning(
    `takes writes, and is not the one on record: ${description}`,
    'After a failover, a running process puts it on record within seconds, with a new epoch.',
  );
}

/** The session variables in effect, which the server's own settings must not decide. */
async function sessionVerdict(primary: Database): Promise<Verdict> {
  const wrong = await findSessionProblems(primary);
  if (wrong.length === 0)
    return fine('autocommit, REPEATABLE READ, UTC, the SQL mode and the time limit are as set up');
  return problem(
    `in effect despite the set-up: ${wrong.join(', ')}`,
    'Something between Recency and MySQL, such as a proxy, changes sessions: make it keep session variables, or connect without it.',
  );
}

function durabilityVerdict({ isRelaxed }: ServerState): Verdict {
  if (!isRelaxed) return fine('every commit is flushed (innodb_flush_log_at_trx_commit is 1)');
  return warning(
    'innodb_flush_log_at_trx_commit is not 1: a crash loses commits, so each start of this server begins a new epoch',
    'Set it to 1 so that the indexes survive a restart of MySQL.',
  );
}

export function versionVerdict(version: string): Verdict {
  const product = mysqlProductOf(version);
  const text = `${product} ${version}`;
  if (isSupported(product, version)) return fine(text);
  return problem(text, `Recency needs ${product} ${OLDEST_VERSIONS[product]} at least: upgrade it.`);
}

/** The prefix of topics says that Debezium reads the log. */
const readingOf = ({ captureTopicPrefix }: Config) => (captureTopicPrefix === undefined ? 'binlog' : 'debezium');

/** Only where the mapping is named for every process: RECENCY_CAPTURE_MAPPING. */
async function captureVerdict(primary: Database, config: Config, file: string): Promise<Verdict> {
  const mapping = await readMapping(file, config);
  const checked = await checkCapture(primary, mapping, kindsNamed(config.kinds), readingOf(config));
  const { problems, warnings, behind } = checked;
  const textOf = (all: readonly CaptureProblem[]) => all.map(({ what }) => what).join('; ');
  const fixOf = (all: readonly CaptureProblem[]) => [...new Set(all.map(({ fix }) => fix))].join(' ');
  if (problems.length > 0) return problem(textOf(problems), fixOf(problems));
  if (warnings.length > 0) return warning(textOf(warnings), fixOf(warnings));
  return fine(`the binary log and ${file} cover the ${behind.tables.length} tables behind the views`);
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

async function columnsVerdict(primary: Database, kinds: readonly Kind[]): Promise<Verdict> {
  const problems = await findColumnProblems(primary, kinds);
  if (problems.length === 0) return fine('whole numbers where the views need them');
  const text = problems.map(({ column, type, fault }) => `${column} is of type ${type}, ${fault}`).join('; ');
  const fixes = [...new Set(problems.map(({ fix }) => fix))].join(' ');
  if (problems.some(({ works }) => !works)) return problem(text, fixes);
  return warning(`${text}: fractions of a millisecond are cut off`, fixes);
}

async function plansVerdict(primary: Database, kinds: readonly Kind[]): Promise<Verdict> {
  try {
    const problems = await findPlanProblems(primary, kinds);
    if (problems.length === 0) return fine('the views merge, and an index serves every question');
    const text = problems.map(({ question, finding }) => `${question}: ${finding}`).join('; ');
    return problem(text, [...new Set(problems.map(({ fix }) => fix))].join(' '));
  } catch (error) {
    if (!isExplainRefused(error)) throw error;
    return warning(
      'not known: this user may not EXPLAIN the views',
      'Run doctor as a user who may read the tables behind them.',
    );
  }
}

/** The number of pairs sampled from all of the table. */
const PAIRS = 10_000;

const EXAMPLES = 3;

const columnFix = ({ photosView }: Kind) =>
  `last_upload_at must be the newest row of ${photosView} whose audience is among the bits of sees, and nothing else: ` +
  'no deleted or private photo, no time of another kind. Fix the view or the columns that it reads (docs/adopting.md), ' +
  'begin a new epoch with `recency epoch bump`, and run `recency verify --users all`.';

const derivedFix = ({ view, photosView, ownerColumn }: Kind) =>
  `The bits of sees of ${view} must be audiences of ${photosView}, and its ids those of ${ownerColumn}, in a column that compares ` +
  'with them exactly. Fix the views, begin a new epoch with `recency epoch bump`, and run `recency verify --users all`.';

/** Compares the views with each other: Recency's answers cannot be better than they are. */
async function lastUploadsVerdict(primary: Database, kind: Kind): Promise<Verdict> {
  const { view, photosView } = kind;
  try {
    const isDerived = (await uploadsFrom(primary)) === 'photos';
    const { counts, wrong, uploads } = await sampleTruth(
      { primary, random: Math.random, now: () => performance.now() },
      PAIRS,
    );
    const fix = isDerived ? derivedFix(kind) : columnFix(kind);
    const way = isDerived ? `derived from ${photosView}, because ${view} has no last_upload_at; ` : '';
    const compared = `${way}${counts.pairs} pairs compared with ${photosView}`;
    const isNever = counts.pairs > 0 && uploads === 0;
    const never = isNever ? `${isDerived ? 'there is none' : 'last_upload_at is NULL or 0'} in all of them; ` : '';
    if (counts.wrong > 0) {
      const examples = wrong.slice(0, EXAMPLES).map((pair) => `\n${pairText(pair, kind)}`);
      return problem(`${compared}: ${never}${counts.wrong} contradict it${examples.join('')}`, fix);
    }
    if (isNever && (await isAnyPhoto(primary))) {
      return problem(`${compared}: ${never}there are photos, but no user may see any (sees)`, fix);
    }
    return fine(`${compared}, all confirmed`);
  } catch (error) {
    if (!(error instanceof StatementTooSlow)) throw error;
    return warning('not known: reading the newest photos takes too long', `See \`indexes\`: ${photosView} needs one.`);
  }
}

const VOLATILE_FIX =
  'No task reports such a change, so indexes go wrong by themselves. Keep what depends on the time in a column, which a ' +
  'scheduled job of the site sets and reports (docs/adopting.md, “Time”).';

async function volatileVerdict(primary: Database, kinds: readonly Kind[]): Promise<Verdict> {
  const { calls, unread } = await findVolatileViews(primary, kinds);
  if (calls.length > 0) {
    const text = calls.map(({ view, call, place }) => `${call} in ${place}${place === view ? '' : `, behind ${view}`}`);
    const detail = `the views' rows change without a change of any table: ${text.join('; ')}`;
    return problem(detail, VOLATILE_FIX);
  }
  if (unread.length === 0) return fine('the views change only when a table does');
  return warning(
    `not known: this user may not read the text of ${unread.join(', ')}`,
    'GRANT SHOW VIEW on the views behind them, or run doctor as the account that owns them.',
  );
}

async function sharedSettingsVerdict(primary: Database, config: Config): Promise<Verdict> {
  const differences = await compareSettings(primary, config);
  if (differences.length === 0) return fine('the same as in the other processes');
  const text = differences
    .map(({ name, here, remembered }) => `${name} is ${here} here and ${remembered} there`)
    .join('; ');
  return differences.some(({ refused }) => refused)
    ? problem(text, 'Set them the same everywhere, or run `recency config adopt` if the change is intended.')
    : warning(text, 'Indexes take the new size when they are next written; `recency repair` does it at once.');
}
