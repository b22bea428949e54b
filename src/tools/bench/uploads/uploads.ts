import type { Pool } from 'mysql2/promise';
import { CONTACTS, type Kind } from '../../../contracts/kind.ts';
import { type KindDatabase, KindStatements } from '../../../mysql/statements/kind-statements.ts';
import { quantile } from '../../harness/latency.ts';
import { viewWithoutUploads } from '../../reference-site/without-uploads.ts';
import type { Bench, Ground } from '../bench.ts';
import { type Measurements, rounded } from '../report.ts';
import { inTurns, secondsOf } from '../turns.ts';
import { type Question, questionsOf } from './questions.ts';
import { gatherUploads } from './site.ts';

export interface UploadsSize {
  /** Contacts of the user, and followers of the owner. */
  readonly people: number;
  readonly rounds: number;
  readonly warmUp: number;
  /** Each question is asked that many times a turn, the long ones once. */
  readonly repeat: number;
}

/** Measures what it costs to read last uploads from the photos instead of a column: the statements, one at a time. */
export const uploads: Bench<UploadsSize> = {
  name: 'uploads',
  summary: 'ms of the statements, with last uploads from a column of the view and from the photos',
  transport: 'streams',
  full: { people: 20_000, rounds: 25, warmUp: 5, repeat: 20 },
  quick: { people: 600, rounds: 1, warmUp: 0, repeat: 1 },
  measure,
};

/** The form of the view of the pairs. */
const ARMS = ['column', 'photos', 'photos_and_account'] as const;
type UploadsArm = (typeof ARMS)[number];

/** The views are two more kinds for the statements, over the same tables. */
const kindOf = (arm: UploadsArm): Kind =>
  arm === 'column' ? CONTACTS : { ...CONTACTS, name: `contacts_${arm}`, view: `${CONTACTS.view}_${arm}` };

// A view without the column needs the contact's own row only if the site has a rule about it, such as a suspension.
const ACCOUNT = /\n\s*STRAIGHT_JOIN users ON users\.id = contacts\.contact_id/;

async function createViews(pool: Pool): Promise<void> {
  const select = viewWithoutUploads(CONTACTS);
  const texts = { photos: select.replace(ACCOUNT, ''), photos_and_account: select };
  if (texts.photos === select) throw new Error('the reference view has no join with the accounts to leave out');
  for (const arm of ['photos', 'photos_and_account'] as const) {
    await pool.query(`CREATE ALGORITHM=MERGE VIEW ${kindOf(arm).view} AS ${texts[arm]}`);
  }
}

async function measure({ stores, signal, progress }: Ground, size: UploadsSize): Promise<Measurements> {
  const { people, rounds, warmUp, repeat } = size;
  progress(`a user with ${people} contacts, an owner with as many followers`);
  const site = await gatherUploads(stores, people);
  await createViews(stores.pool);
  const databases = ARMS.map((arm) => {
    const statements = new KindStatements(stores.site, kindOf(arm));
    return { arm, database: { server: stores.primary, statements } };
  });
  const questions = await questionsOf(stores.contacts, site);
  for (const question of questions) await checkAgree(question, databases);
  const turns = questions.map((question) => {
    const times = question.isLong ? 1 : repeat;
    return databases.map(({ arm, database }) => ({
      row: { question: question.name, arm },
      take: () => p50Of(() => question.ask(database), times),
    }));
  });
  const measured = await inTurns(turns, { rounds, warmUp, signal });
  const rows = measured.map(({ median, ...row }) => ({ ...row, p50_ms: rounded(median) }));
  return { rows, ratios: uploadsRatios(rows) };
}

/** @throws Error when the arms do not say the same: then nothing that is measured means anything */
async function checkAgree(
  { name, ask }: Question,
  databases: readonly { readonly arm: UploadsArm; readonly database: KindDatabase }[],
): Promise<void> {
  const answers = new Map<string, UploadsArm>();
  for (const { arm, database } of databases) answers.set(JSON.stringify(await ask(database)), arm);
  if (answers.size > 1) throw new Error(`${name}: ${[...answers.values()].join(' and ')} do not say the same`);
  if ([...answers.keys()][0] === '[]') throw new Error(`${name}: nothing was found`);
}

async function p50Of(ask: () => Promise<unknown>, times: number): Promise<number> {
  const taken: number[] = [];
  for (let i = 0; i < times; i++) taken.push((await secondsOf(ask)) * 1_000);
  return quantile(taken, 0.5);
}

interface UploadsRow {
  readonly question: string;
  readonly arm: string;
  readonly p50_ms: number;
}

/** What the photos cost over the column, for each question. @throws Error when an arm is missing */
export function uploadsRatios(rows: readonly UploadsRow[]): Record<string, number> {
  const of = (question: string, arm: UploadsArm) => {
    const found = rows.find((row) => row.question === question && row.arm === arm)?.p50_ms;
    if (!found) throw new Error('too little was measured');
    return found;
  };
  const questions = [...new Set(rows.map(({ question }) => question))];
  return Object.fromEntries(
    questions.map((question) => [`${question}_over_column`, rounded(of(question, 'photos') / of(question, 'column'))]),
  );
}
