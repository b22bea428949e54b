import { type RaiseBarrier, sharedBarrier } from '../../src/index/drain-barrier.ts';

/** A barrier with nothing before it. */
export const passedAtOnce: RaiseBarrier = async () => sharedBarrier(async () => true);

/** A barrier behind something that never moves. */
export const neverPassed: RaiseBarrier = async () => sharedBarrier(async () => false);
