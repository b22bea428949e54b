/** `recency init` reads a site's schema, proposes views, indexes and a mapping, and writes them as files; the mapping is read again. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { filesOf } from '../adoption/files.ts';
import { type Proposal, propose } from '../adoption/propose.ts';
import { SampleRequests } from '../adoption/samples.ts';
import { tableNamed } from '../adoption/tables.ts';
import type { CaptureProblem } from '../capture/capture-checks.ts';
import { findUnseenChanges } from '../capture/cascades.ts';
import type { Mapping } from '../capture/mapping.ts';
import { parseMapping } from '../capture/mapping-file.ts';
import type { Kind } from '../contracts/kind.ts';
import { UserError } from '../contracts/user-error.ts';
import type { Database } from '../mysql/database.ts';
import { inspectSchema } from '../mysql/inspect-schema.ts';
import { sampleColumn, samplePairs } from '../mysql/sample-rows.ts';

/** A folder already has a file of this name. */
class FilesExist extends UserError {
  override readonly name = 'FilesExist';
}

/** What a proposal asks for may depend on what it was told, so it is made again; one schema never takes more rounds. */
const ROUNDS = 5;

/** Changes nothing. @throws DatabaseUnavailable */
export async function proposeFor(database: Database): Promise<Proposal> {
  const schema = await inspectSchema(database);
  const samples = new SampleRequests();
  for (let round = 1; ; round += 1) {
    const proposal = propose(schema, samples);
    const { columns, pairs } = samples.takeWanted();
    if ((columns.length === 0 && pairs.length === 0) || round === ROUNDS) return proposal;
    for (const { table: name, column } of columns) {
      const table = tableNamed(schema, name);
      const inspected = table?.columns.find((one) => one.name === column);
      if (table && inspected) samples.add(name, column, await sampleColumn(database, table, inspected));
    }
    for (const of of pairs) samples.addPairs(of, await samplePairs(database, of));
  }
}

/** Writes the files of a proposal. @returns their paths @throws FilesExist: nothing was written over */
export async function writeProposal(proposal: Proposal, folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const paths: string[] = [];
  for (const [name, text] of filesOf(proposal)) {
    const path = join(folder, name);
    await writeFile(path, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      throw new FilesExist(`${path} exists, and may have been edited: remove it, or name another folder with --out.`);
    });
    paths.push(path);
  }
  return paths;
}

/** There is no mapping to read. */
class MappingMissing extends UserError {
  override readonly name = 'MappingMissing';
}

/**
 * @param schema of tables that are named without one
 * @param kinds as the site has them; left out: as they are declared
 * @throws MappingMissing, MappingError
 */
export async function readMapping(file: string, schema: string, kinds?: readonly Kind[]): Promise<Mapping> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new MappingMissing(`${file} cannot be read (${error.code}). \`recency init\` writes one to begin with.`, {
      cause: error,
    });
  });
  return parseMapping(text, { file, schema, kinds });
}

/** Rows of mapped tables change without a trigger, and without anybody being told. */
export class UnseenByTriggers extends UserError {
  override readonly name = 'UnseenByTriggers';
}

/**
 * Whether triggers on the mapped tables see all that changes there: a foreign key's action on another table fires none.
 * @returns what they see too late, for people
 * @throws UnseenByTriggers, DatabaseUnavailable
 */
export async function checkTriggers(database: Database, mapping: Mapping): Promise<readonly CaptureProblem[]> {
  const { problems, warnings } = await findUnseenChanges(database, mapping, 'which fires no trigger');
  if (problems.length === 0) return warnings;
  const lines = problems.map(({ what, fix }) => `- ${what}. ${fix}`);
  throw new UnseenByTriggers(
    `Triggers would not see every change, as the tables and the mapping are now:\n${lines.join('\n')}`,
  );
}
