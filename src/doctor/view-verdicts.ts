/** Checks of the site's views: Recency's answers cannot be better than they are. */
import type { Kind } from '../contracts/kind.ts';
import { fine, problem, type Verdict, warning } from '../health/finding.ts';
import type { Database } from '../mysql/database.ts';
import { isExplainRefused, StatementTooSlow } from '../mysql/faults.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import { uploadsFrom } from '../mysql/statements/last-upload.ts';
import { isAnyPhoto } from '../mysql/statements/pairs.ts';
import { findColumnProblems, findPlanProblems } from '../mysql/view-checks.ts';
import { findVolatileViews } from '../mysql/volatile-views.ts';
import { pairText } from '../repair/truth-check.ts';
import { sampleTruth } from '../repair/truth-sample.ts';
import type { Site } from '../site/site.ts';

export async function columnsVerdict(primary: Database, site: Site): Promise<Verdict> {
  const problems = await findColumnProblems(primary, site);
  if (problems.length === 0) return fine('whole numbers where the views need them');
  const text = problems.map(({ column, type, fault }) => `${column} is of type ${type}, ${fault}`).join('; ');
  const fixes = [...new Set(problems.map(({ fix }) => fix))].join(' ');
  if (problems.some(({ works }) => !works)) return problem(text, fixes);
  return warning(`${text}: fractions of a millisecond are cut off`, fixes);
}

export async function plansVerdict(kinds: readonly KindDatabase[]): Promise<Verdict> {
  try {
    const problems = await findPlanProblems(kinds);
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
export async function lastUploadsVerdict(primary: KindDatabase): Promise<Verdict> {
  const { kind } = primary.statements;
  const { view, photosView } = kind;
  try {
    const isDerived = (await uploadsFrom(primary)) === 'photos';
    const stores = { primary, random: Math.random, now: () => performance.now() };
    const { counts, wrong, uploads } = await sampleTruth(stores, PAIRS);
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

const UNREAD_FIX = 'GRANT SHOW VIEW on the views behind them, or run doctor as the account that owns them.';

const VOLATILE_FIX =
  'No task reports such a change, so indexes go wrong by themselves. Keep what depends on the time in a column, which a ' +
  'scheduled job of the site sets and reports (docs/adopting.md, “Time”).';

export async function volatileVerdict(primary: Database, kinds: readonly Kind[]): Promise<Verdict> {
  const { calls, unread } = await findVolatileViews(primary, kinds);
  if (calls.length > 0) {
    const text = calls.map(({ view, call, place }) => `${call} in ${place}${place === view ? '' : `, behind ${view}`}`);
    const detail = `the views' rows change without a change of any table: ${text.join('; ')}`;
    return problem(detail, VOLATILE_FIX);
  }
  if (unread.length === 0) return fine('the views change only when a table does');
  return warning(`not known: this user may not read the text of ${unread.join(', ')}`, UNREAD_FIX);
}
