import type { Logger } from 'pino';
import { noteCaughtUp, suspendForLoss } from '../index/epoch.ts';
import type { Database } from '../mysql/database.ts';
import { type EpochState, type KnownLoss, readEpochState } from '../mysql/losses.ts';
import { loop, Wake } from '../timing/loop.ts';
import type { GroupPositions, Loss } from '../transport/task-source.ts';

export interface LossRecoveryOptions {
  readonly database: Database;
  readonly positions: GroupPositions;
  readonly logger: Logger;
  /** Called when a loss is found: an alarm. */
  readonly onLoss?: (loss: Loss) => void;
  /** Called when the group has caught up and a new epoch has begun. */
  readonly onNewEpoch?: () => void;
  /** Time between two checks while the epoch is suspended, ms (500). */
  readonly intervalMs?: number;
  /** Time between two checks otherwise, ms (5,000): another consumer may have found a loss, and died. */
  readonly idleMs?: number;
}

/** Time between two warnings that the group has not caught up yet, ms. */
const REMINDER_MS = 60_000;

/**
 * Suspends the epoch when tasks were lost, and begins a new one when the group has caught up. Every consumer of the group
 * checks whether it has, whichever of them found the loss, so a consumer that dies leaves nothing undone.
 */
export class LossRecovery {
  readonly #options: LossRecoveryOptions;
  readonly #wake = new Wake();
  #reminded = Number.NEGATIVE_INFINITY;

  constructor(options: LossRecoveryOptions) {
    this.#options = options;
  }

  /**
   * Marks every index as untrusted, for all processes.
   * @param positions of the lane that lost them; all, if left out
   * @throws DatabaseUnavailable, EpochMissing
   */
  async found(loss: Loss, positions: Pick<GroupPositions, 'placesOf'> = this.#options.positions): Promise<void> {
    const { database, logger, onLoss } = this.#options;
    const { reason, detail } = loss;
    await suspendForLoss(database, positions.placesOf(loss), `tasks were lost: ${reason}: ${detail}`);
    logger.error({ reason, detail }, 'tasks were lost: no index is trusted until the consumers have caught up');
    onLoss?.(loss);
    this.#wake.now();
  }

  /** Checks, until aborted, whether a suspension can end. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { logger, intervalMs = 500, idleMs = 5_000 } = this.#options;
    const round = async () => ((await this.runOnce()) ? intervalMs : idleMs);
    const onError = (error: unknown) => {
      logger.debug({ err: error }, 'cannot check now whether the consumers have caught up after a loss');
      return intervalMs;
    };
    await loop({ signal, round, onError, wake: this.#wake });
  }

  /** Checks once. Returns whether the epoch is suspended. @throws DatabaseUnavailable, what the transport throws */
  async runOnce(): Promise<boolean> {
    const { database, logger, onNewEpoch } = this.#options;
    const state = await readEpochState(database);
    if (!state.suspended) return false;
    const ends = new Map<string, string>();
    const passed: string[] = [];
    for (const loss of state.losses) await this.#look(loss, ends, passed);
    if (passed.length < state.losses.length) this.#remind(state, passed);
    if (ends.size === 0 && passed.length === 0 && state.losses.length > 0) return true;
    if (!(await noteCaughtUp(database, state, { ends, passed }))) return true;
    logger.warn({ why: state.epoch.why }, 'caught up after tasks were lost: a new epoch, every index is cold');
    onNewEpoch?.();
    return false;
  }

  async #look({ place, end }: KnownLoss, ends: Map<string, string>, passed: string[]): Promise<void> {
    const { positions } = this.#options;
    if (!positions.owns(place)) return;
    if (end === null) ends.set(place, await positions.endOf(place));
    else if (await positions.isPast(place, end)) passed.push(place);
  }

  #remind({ epoch, losses }: EpochState, passed: readonly string[]): void {
    if (performance.now() - this.#reminded < REMINDER_MS) return;
    this.#reminded = performance.now();
    const waitingFor = losses.map(({ place }) => place).filter((place) => !passed.includes(place));
    const since = new Date(epoch.bumpedAt).toISOString();
    this.#options.logger.warn(
      { since, why: epoch.why, waitingFor },
      'the epoch stays suspended until the consumers have caught up',
    );
  }
}
