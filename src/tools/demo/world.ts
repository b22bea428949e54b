import type { Pool } from 'mysql2/promise';
import type { Id } from '../../contracts/id.ts';
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
  /** For the site's own transactions. */
  readonly pool: Pool;
  readonly redis: RedisClient;
  readonly random: Random;
  readonly cast: Cast;
  readonly groups: readonly Id[];
  readonly journal: Journal;
  readonly services: Services;
  readonly api: HttpClient;
  /** Passes when everything in flight has been applied. */
  readonly raiseBarrier: RaiseBarrier;
  /** Plans and segments of large audiences that are not done; undefined if unknown. */
  readonly bulkLag: () => Promise<number | undefined>;
  /** Aborts when the demonstration ends or cannot continue. */
  readonly signal: AbortSignal;
}
