import { inTurn } from '../index/drain-barrier.ts';
import { drainBarrierOf } from '../index/index-drain-barrier.ts';
import { readEpoch } from '../mysql/epoch.ts';
import { AppliedWatermark } from '../query/applied-watermark.ts';
import { KafkaPermissionMissing } from '../transport/kafka/errors.ts';
import type { Transport } from '../transport/transport.ts';
import { inBackground, type ProcessContext } from './run-process.ts';
import type { Stores } from './stores.ts';

/**
 * Measures until the process ends how far the indexes may be behind MySQL: behind the outbox, rows that a relay put back,
 * the transport, re-checks, and refreshes that a consumer delayed. A permission of Kafka that is missing is logged once, as an error.
 */
export function watchApplied(
  context: Pick<ProcessContext, 'logger' | 'resources' | 'fail'>,
  {
    primary,
    rechecks,
    delayed,
    kinds = [{ rechecks, delayed }],
  }: Pick<Stores, 'primary' | 'rechecks' | 'delayed'> & {
    readonly kinds?: readonly Pick<Stores, 'rechecks' | 'delayed'>[];
  },
  transport: Pick<Transport, 'strictBarrier'>,
): AppliedWatermark {
  let isNamed = false;
  const onError = (err: unknown) => {
    const isNews = err instanceof KafkaPermissionMissing && !isNamed;
    context.logger[isNews ? 'error' : 'debug']({ err }, 'the lag of the indexes cannot be measured: it is not known');
    isNamed ||= isNews;
  };
  const watermark = new AppliedWatermark({
    barrier: inTurn(
      kinds.map((of) =>
        drainBarrierOf({ primary, rechecks: of.rechecks, delayed: of.delayed.changes }, transport.strictBarrier),
      ),
    ),
    epoch: async () => (await readEpoch(primary)).token,
    now: () => performance.now(),
    onError,
  });
  inBackground(context, (ending) => watermark.run(ending));
  return watermark;
}
