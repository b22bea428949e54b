import type { Pool } from 'mysql2/promise';
import type { RaiseBarrier } from '../../index/drain-barrier.ts';
import type { RedisClient } from '../../redis/connection.ts';
import type { HttpClient } from '../harness/http.ts';
import type { Namespace } from '../harness/namespace.ts';
import type { Cast } from './graph.ts';
import type { Journal } from './play/journal.ts';
import type { Services } from './processes/services.ts';
import type { Random } from './random.ts';

/** What the phases of the demonstration work with. */
export interface World {
  readonly namespace: Namespace;
  /** Of the site's own transactions. */
  readonly pool: Pool;
  readonly redis: RedisClient;
  readonly random: Random;
  readonly cast: Cast;
  readonly journal: Journal;
  readonly services: Services;
  readonly api: HttpClient;
  /** Passed when everything that was on its way has been applied. */
  readonly raiseBarrier: RaiseBarrier;
  /** Aborted when the demonstration is to end, or cannot go on. */
  readonly signal: AbortSignal;
}
