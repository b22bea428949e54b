import { inTurn } from '../index/drain-barrier.ts';
import { drainBarrierOf } from '../index/index-drain-barrier.ts';
import { AppliedWatermark } from '../query/applied-watermark.ts';
import type { Transport } from '../transport/transport.ts';
import { inBackground, type ProcessContext } from './run-process.ts';
import type { Stores } from './stores.ts';

/**
 * Measures until the process ends how far the indexes may be behind MySQL: behind the outbox, rows that a relay put back,
 * the transport, re-checks, and refreshes that a consumer delayed.
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
  transport: Pick<Transport, 'barrier'>,
): AppliedWatermark {
  const watermark = new AppliedWatermark({
    barrier: inTurn(
      kinds.map((of) =>
        drainBarrierOf({ primary, rechecks: of.rechecks, delayed: of.delayed.changes }, transport.barrier),
      ),
    ),
    now: () => performance.now(),
    onError: (err) => context.logger.debug({ err }, 'the lag of the indexes could not be measured'),
  });
  inBackground(context, (ending) => watermark.run(ending));
  return watermark;
}
