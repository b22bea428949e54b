import type { Logger } from 'pino';
import type { Steps } from '../../src/index/protocol.ts';
import type { Random } from '../../src/tools/demo/random.ts';
import type { DeadLetters } from '../../src/transport/dead-letters.ts';
import type { TaskPublisher } from '../../src/transport/task-publisher.ts';
import type { Loss } from '../../src/transport/task-source.ts';
import type { Actor } from './turns.ts';

/** Which of the waiting messages are meant: places from 0 up to 1 among them. */
export type Picks = readonly number[];

/** Somebody who works when there is something to do. */
export interface Worker {
  readonly kind: 'consumer' | 'delayed';
  readonly actor: Actor;
  /** What is in work; undefined: there is nothing to do. */
  readonly working: Promise<void> | undefined;
  /** Others may take over what it holds: its session has ended. */
  loseHold(): void;
  /** It was killed, and what it held comes back. */
  die(): void;
}

export interface ConsumerParts {
  readonly actor: Actor;
  readonly steps: Steps;
  readonly deadLetters: Pick<DeadLetters, 'put'>;
  readonly onLoss: (loss: Loss) => Promise<void>;
  readonly logger: Logger;
  /** Does it stop when it learns that its batch belongs to somebody else? Otherwise it works on, unaware. */
  readonly obeys: boolean;
  /** Followers of one owner in a page: so few that most fan-outs have several, and cursors. */
  readonly pageSize: number;
  /** It cannot go on. */
  readonly onFault: (error: Error) => void;
}

/** What brings tasks from the outbox to consumers: in any order, late, and some of them twice. */
export interface Carrier extends Pick<TaskPublisher, 'publish'> {
  /** How many consumers it feeds. */
  readonly consumers: number;
  /** Messages that consumers took and acknowledged. */
  readonly acknowledged: number;
  /** Looks at what is left before a history is said not to come to rest. */
  readonly patience: number;
  startConsumer(parts: ConsumerParts): Worker;
  /** Has these messages delivered, to the nth of those who are idle where that can be told. @param stay and again later */
  deliver(idle: readonly Worker[], nth: number, picks: Picks, stay: boolean): Promise<void>;
  /** Messages that are not acknowledged; when it cannot be told, there are some. */
  waiting(): Promise<number>;
  /** They will never be delivered. How many there were. */
  lose(picks: Picks): number;
  /** All that was ever published comes once more in another order, but for those of users who went. */
  publishAgain(random: Random): Promise<void>;
  close(): Promise<void>;
}
