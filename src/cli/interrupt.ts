import process from 'node:process';
import { onEndingSignals } from '../app/run-process.ts';
import { UserError } from '../contracts/user-error.ts';
import { EXIT } from './exit-code.ts';

/** Ctrl-C or SIGTERM ended a command, between two of its steps. */
export class Interrupted extends UserError {
  override readonly name = 'Interrupted';
  constructor() {
    super('interrupted');
  }
}

/**
 * Runs work whose signal Ctrl-C and SIGTERM abort. A second Ctrl-C or SIGTERM ends the process at once.
 * @throws Interrupted; what the work throws
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
