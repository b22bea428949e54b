/** `recency init` reads a site's schema, proposes views, indexes and a mapping, and writes them as files; the mapping is read again. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { filesOf } from '../adoption/files.ts';
import { type Proposal, propose } from '../adoption/propose.ts';
import { SampleRequests } from '../adoption/samples.ts';
import { tableNamed } from '../adoption/tables.ts';
import { findUnseenChanges } from '../capture/cascades.ts';
import type { Mapping } from '../capture/mapping.ts';
import { parseMapping } from '../capture/mapping-file.ts';
import { UserError } from '../contracts/user-error.ts';
import type { CaptureProblem } from '../mysql/capture-checks.ts';
import type { Database } from '../mysql/database.ts';
import { inspectSchema, sampleColumn } from '../mysql/inspect-schema.ts';

/** A folder already has a file of this name. */
export class FilesExist extends UserError {
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
    const wanted = samples.takeWanted();
    if (wanted.length === 0 || round === ROUNDS) return proposal;
    for (const { table, column } of wanted) {
      const inspected = tableNamed(schema, table);
      if (inspected !== undefined) samples.add(table, column, await sampleColumn(database, inspected, column));
    }
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
export class MappingMissing extends UserError {
  override readonly name = 'MappingMissing';
}

/** @param schema of tables that are named without one @throws MappingMissing, MappingError */
export async function readMapping(file: string, schema: string): Promise<Mapping> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new MappingMissing(`${file} cannot be read (${error.code}). \`recency init\` writes one to begin with.`, {
      cause: error,
    });
  });
  return parseMapping(text, { file, schema });
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
