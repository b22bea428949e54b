import { isId } from '../contracts/id.ts';
import { lookUp } from '../mysql/capture.ts';
import type { Database } from '../mysql/database.ts';
import type { HintBatch } from './hints.ts';

/** Finds the ids that other tables hold, one statement for each look-up of the batch. @throws DatabaseUnavailable */
export async function lookUpIds(database: Database, hints: HintBatch): Promise<void> {
  for (const wanted of hints.wanted) {
    const values = [...wanted.values.values()];
    const areIds = values.every((value) => typeof value === 'string' && isId(value));
    const ids = await lookUp(database, wanted.lookup, values, areIds);
    hints.found(wanted, ids);
  }
}
