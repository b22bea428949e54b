import type { Logger } from 'pino';
import type { Id } from '../contracts/id.ts';
import { LineLimit } from '../timing/line-limit.ts';
import type { DeliveryOutcome, Notification } from './channel.ts';

interface FailureLogOptions {
  readonly logger: Logger;
  /** Monotonic, ms. */
  readonly now: () => number;
}

/** An endpoint that is down fails as many deliveries as it has watches: one line about each endpoint, or watch, in this time, ms. */
const LINE_MS = 60_000;

const WORDS = { failed: 'failed; it will be tried again', gone: 'was refused for good: the watch has ended' } as const;

/** What a notifier says about deliveries and watches that fail. */
export class FailureLog {
  readonly #logger: Logger;
  readonly #lines: LineLimit;

  constructor({ logger, now }: FailureLogOptions) {
    this.#logger = logger;
    this.#lines = new LineLimit({ everyMs: LINE_MS, now });
  }

  /** A delivery has ended. */
  ended({ id, watch, target }: Notification, outcome: DeliveryOutcome): void {
    if (outcome.is === 'delivered') return;
    const { channel, url = '' } = target;
    const endpoint = URL.parse(url)?.host;
    const leftOut = this.#lines.next(`${outcome.is} ${channel} ${endpoint}`);
    if (leftOut === undefined) return;
    const facts = { watch, notification: id, channel, endpoint, why: outcome.why, ...leftOut };
    this.#logger.warn(facts, `a delivery ${WORDS[outcome.is]}`);
  }

  /** A watch failed by itself. */
  failed(watch: Id, err: unknown): void {
    const leftOut = this.#lines.next(`watch ${watch}`);
    if (leftOut === undefined) return;
    this.#logger.error({ watch, err, ...leftOut }, 'a watch could not be checked or saved; it will be tried again');
  }
}
