import { HttpProblem } from '../api/http-problem.ts';
import type { Database } from '../mysql/database.ts';
import { DatabaseUnavailable } from '../mysql/faults.ts';
import { RedisUnavailable } from '../redis/unavailable.ts';
import { type DeadLetters, NotReplayable } from '../transport/dead-letters.ts';
import { TransportFull } from '../transport/task-publisher.ts';
import type { Transport } from '../transport/transport.ts';
import type { ProcessContext } from './run-process.ts';

/** The dead letters, opened when somebody first asks for them: over Kafka they have connections of their own. */
export function sharedDeadLetters(
  { logger, resources }: Pick<ProcessContext, 'logger' | 'resources'>,
  transport: Transport,
  primary: Database,
): Pick<DeadLetters, 'list' | 'get' | 'replay'> {
  let opened: DeadLetters | undefined;
  resources.defer(async () => {
    await opened?.close();
  });
  const ask = async <T>(question: (letters: DeadLetters) => Promise<T>): Promise<T> => {
    opened ??= transport.openDeadLetters(primary);
    return await question(opened).catch((error: unknown) => {
      if (isKnown(error)) throw error;
      logger.warn({ err: error }, 'the console could not reach the dead letters');
      throw new HttpProblem('transport_unavailable', { detail: 'The transport is unavailable.', cause: error });
    });
  };
  return {
    list: (options) => ask((letters) => letters.list(options)),
    get: (id) => ask((letters) => letters.get(id)),
    replay: (ids) => ask((letters) => letters.replay(ids)),
  };
}

/** What says more than that the transport is unavailable. */
function isKnown(error: unknown): boolean {
  const isRefusal = error instanceof NotReplayable || error instanceof RangeError || error instanceof TransportFull;
  return isRefusal || error instanceof DatabaseUnavailable || error instanceof RedisUnavailable;
}
