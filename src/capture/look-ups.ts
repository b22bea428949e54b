import { isId } from '../contracts/id.ts';
import { lookUp } from '../mysql/capture.ts';
import type { Database } from '../mysql/database.ts';
import type { HintBatch } from './hints.ts';

/** Finds the ids that other tables hold, one statement for each look-up of the batch. @throws DatabaseUnavailable */
export async function lookUpIds(database: Database, hints: HintBatch): Promise<void> {
  for (const wanted of hints.wanted) {
    const values = [...wanted.values];
    const ids = await lookUp(database, wanted.lookup, values, values.every(isId));
    hints.found(wanted, ids);
  }
}
