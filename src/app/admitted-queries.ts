import type { Id } from '../contracts/id.ts';
import type { Database } from '../mysql/database.ts';
import type { AppliedWatermark } from '../query/applied-watermark.ts';
import { RedisUnavailable } from '../redis/unavailable.ts';
import type { Deadline } from '../timing/deadline.ts';
import type { Admission } from './admission.ts';
import { apiQueries } from './api-queries.ts';
import type { ProcessContext } from './run-process.ts';
import type { ConnectingStores } from './stores.ts';

export interface AdmittedParts {
  readonly stores: ConnectingStores;
  /** The server that answers. */
  readonly reading: Database;
  readonly admission: Pick<Admission<'redis' | 'transport'>, 'has' | 'isComplete'>;
  readonly watermark: Pick<AppliedWatermark, 'lagMs'>;
}

/** The queries of the API. No index is used before everything is admitted, and none is written to a Redis that is not. */
export function admittedQueries(
  context: ProcessContext,
  { stores, reading, admission, watermark }: AdmittedParts,
): ReturnType<typeof apiQueries> {
  const watch = { isTrusted: () => admission.isComplete && stores.watch.isTrusted() };
  const lagMs = () => watermark.lagMs();
  const queries = apiQueries(context, { ...stores, watch }, { reading, lagMs });
  const { inspect, rebuild, forget, fanOuts } = queries;
  const requireRedis = () => {
    if (!admission.has('redis')) throw new RedisUnavailable('Redis has not been available since this process started');
  };
  const inRedis =
    <T>(work: (user: Id, deadline?: Deadline) => Promise<T>) =>
    async (user: Id, deadline?: Deadline) => {
      requireRedis();
      return await work(user, deadline);
    };
  return {
    ...queries,
    ...{ inspect: inRedis(inspect), rebuild: inRedis(rebuild), forget: inRedis(forget) },
    fanOuts: async (deadline) => {
      requireRedis();
      return await fanOuts(deadline);
    },
  };
}
