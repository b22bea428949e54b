/**
 * Runs random histories against a server, and judges them by SQL over the base table alone. It is read after every statement: each
 * pair whose row is another one then was hinted at after the statement was sent, or an epoch began after that.
 */
import { seededRandom } from '../../harness/random.ts';
import { HistorySite, type SiteOptions } from './site.ts';
import { randomHistory } from './statements.ts';

export interface HistoryCounts {
  readonly histories: number;
  readonly moves: number;
  /** Changes of a pair that were judged. */
  readonly changes: number;
  readonly epochs: number;
  /** Changes that nobody was told of. */
  readonly missed: number;
  /** The seeds of the histories in which something was missed, and what. */
  readonly findings: readonly string[];
}

export interface HistoryOptions extends SiteOptions {
  readonly histories: number;
  readonly seed: number;
  readonly progress: (line: string) => void;
}

/** @throws Error when a history does not come to its end */
export async function runHistories(options: HistoryOptions): Promise<HistoryCounts> {
  const { server, histories, seed, signal, progress } = options;
  const url = new URL(server.url);
  await using site = await HistorySite.open(options);
  let counts = { histories: 0, moves: 0, changes: 0, epochs: 0, missed: 0 };
  const findings: string[] = [];
  for (let number = 0; number < histories && !signal.aborted; number++) {
    const random = seededRandom(seed + number);
    const moves = randomHistory(random, seed + number);
    const judged = await site.history(moves).catch((error: unknown) => site.startAgain(error));
    counts = {
      histories: counts.histories + 1,
      moves: counts.moves + moves.length,
      changes: counts.changes + judged.changes,
      epochs: counts.epochs + judged.epochs,
      missed: counts.missed + judged.missed.length,
    };
    for (const what of judged.missed) {
      findings.push(`seed ${seed + number}: ${what}`);
      progress(`missed: seed ${seed + number}: ${what}`);
    }
    if (counts.histories % 20 === 0) progress(`${counts.histories} histories on ${url.host}, missed ${counts.missed}`);
  }
  return { ...counts, findings };
}
