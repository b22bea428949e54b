import process from 'node:process';
import { onEndingSignals } from '../app/run-process.ts';
import { UserError } from '../contracts/user-error.ts';
import { EXIT } from './exit-code.ts';

/** Ctrl-C or SIGTERM ended a command. What was done is whole, and what was not can be done later. */
export class Interrupted extends UserError {
  override readonly name = 'Interrupted';
  constructor() {
    super('interrupted');
  }
}

/**
 * Runs work that Ctrl-C and SIGTERM end by its signal, between two of its steps. A second one ends the process at once.
 * @throws Interrupted, what the work throws
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  const forget = onEndingSignals({
    onFirst: () => ending.abort(new Interrupted()),
    onSecond: () => process.exit(EXIT.failed),
  });
  try {
    return await work(ending.signal);
  } catch (error) {
    throw ending.signal.aborted ? ending.signal.reason : error;
  } finally {
    forget();
  }
}
