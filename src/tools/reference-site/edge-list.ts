import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Id, isId } from '../../contracts/id.ts';
import { SiteError } from './checks.ts';

/** One line of a temporal edge list, `src dst unix_seconds`. */
export interface Edge {
  readonly source: Id;
  readonly target: Id;
  readonly at: number;
}

const LONGEST_LINE = 10_000;
const LATEST_SECOND = Math.floor(Number.MAX_SAFE_INTEGER / 1000);

/**
 * The edges of a file, plain or gzip, in its order and as it streams in. Blank lines, lines that begin with `#` and one
 * header (a first line without a number) are skipped.
 * @throws SiteError unreadable_file; malformed_line, naming the line's number
 */
export async function* readEdges(file: string): AsyncGenerator<Edge> {
  let number = 0;
  let mayBeHeader = true;
  for await (const line of linesOf(file)) {
    number += 1;
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    const fields = text.split(/\s+/);
    if (!(mayBeHeader && fields.every((field) => !/^[-+.]?\d/.test(field))))
      yield edgeOf(fields, basename(file), number);
    mayBeHeader = false;
  }
}

function edgeOf(fields: readonly string[], file: string, number: number): Edge {
  const [source = '', target = '', seconds = ''] = fields;
  const wrong = whatIsWrong(fields, source, target, seconds);
  if (wrong === undefined) return { source, target, at: Number(seconds) * 1000 };
  throw new SiteError('malformed_line', `${file}, line ${number}: ${wrong}. Wanted: src dst unix_seconds`);
}

function whatIsWrong(fields: readonly string[], source: string, target: string, seconds: string): string | undefined {
  if (fields.length !== 3) return `${fields.length} fields, not 3`;
  if (!isId(source)) return `src ${shown(source)} is not an id (1 to 18446744073709551615, without leading zero)`;
  if (!isId(target)) return `dst ${shown(target)} is not an id (1 to 18446744073709551615, without leading zero)`;
  if (/^[0-9]+$/.test(seconds) && Number(seconds) >= 1 && Number(seconds) <= LATEST_SECOND) return undefined;
  return `unix_seconds ${shown(seconds)} is not a whole number from 1 to ${LATEST_SECOND}`;
}

const shown = (field: string): string => JSON.stringify(field.slice(0, 40));

async function* linesOf(file: string): AsyncGenerator<string> {
  try {
    let rest = '';
    for await (const chunk of await textOf(file)) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > LONGEST_LINE) throw new Error(`a line is longer than ${LONGEST_LINE} characters`);
      yield* lines;
    }
    if (rest !== '') yield rest;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SiteError('unreadable_file', `${file} cannot be read as an edge list: ${reason}`, { cause: error });
  }
}

/** Gzip is known by its first two bytes, whatever the file is called. The stream closes the file. */
async function textOf(file: string): Promise<Readable> {
  const isGzip = await beginsAsGzip(file);
  const bytes = createReadStream(file);
  // An error of either stream ends the second one, and so reaches its reader.
  const plain = isGzip ? pipeline(bytes, createGunzip(), () => undefined) : bytes;
  return plain.setEncoding('utf8');
}

async function beginsAsGzip(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.readUInt16BE() === 0x1f8b;
  } finally {
    await handle.close();
  }
}
