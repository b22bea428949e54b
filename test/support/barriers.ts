import { type RaiseBarrier, sharedBarrier } from '../../src/index/drain-barrier.ts';

/** In a place where nothing ever is. */
export const passedAtOnce: RaiseBarrier = async () => sharedBarrier(async () => true);

/** Behind something that never moves. */
export const neverPassed: RaiseBarrier = async () => sharedBarrier(async () => false);
