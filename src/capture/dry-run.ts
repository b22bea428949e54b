import type { Database } from '../mysql/database.ts';
import type { ChangeSource } from './change-source.ts';
import type { HintBatch } from './hints.ts';
import { lookUpIds } from './look-ups.ts';

export interface DryRunOptions {
  readonly source: Pick<ChangeSource, 'next' | 'published'>;
  readonly begin: () => HintBatch;
  readonly database: Database;
  readonly print: (line: string) => void;
}

/** How often the signal is looked at while nothing happens, ms. */
const WAIT_MS = 1_000;

/** Prints each task as JSON, until aborted. @throws CaptureGap, ShapeMismatch, what the source throws */
export async function dryRun({ source, begin, database, print }: DryRunOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { changes } = await source.next(WAIT_MS, signal);
    const hints = begin();
    for (const change of changes) hints.add(change);
    await lookUpIds(database, hints);
    for (const task of hints.tasks) print(JSON.stringify(task));
    await source.published?.();
  }
}
