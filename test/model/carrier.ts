import type { Logger } from 'pino';
import type { Kind } from '../../src/contracts/kind.ts';
import type { Steps } from '../../src/index/protocol.ts';
import type { Random } from '../../src/tools/demo/random.ts';
import type { DeadLetters } from '../../src/transport/dead-letters.ts';
import type { TaskPublisher } from '../../src/transport/task-publisher.ts';
import type { Loss } from '../../src/transport/task-source.ts';
import type { Actor } from './turns.ts';

/** Picks among the waiting messages: relative positions from 0 to 1. */
export type Picks = readonly number[];

/** A process that works when there is something to do. */
export interface Worker {
  readonly kind: 'consumer' | 'delayed';
  readonly actor: Actor;
  /** The work in progress; undefined: idle. */
  readonly working: Promise<void> | undefined;
  /** Ends its session: others may take over what it holds. */
  loseHold(): void;
  /** Kills it; what it held comes back. */
  die(): void;
}

export interface KindSteps {
  readonly kind: Kind;
  readonly steps: Steps;
}

export interface ConsumerParts {
  readonly actor: Actor;
  /** The steps of each kind. */
  readonly kinds: readonly KindSteps[];
  readonly deadLetters: Pick<DeadLetters, 'put'>;
  readonly onLoss: (loss: Loss) => Promise<void>;
  readonly logger: Logger;
  /** Whether it stops when its lease is lost. Otherwise it continues, unaware. */
  readonly obeys: boolean;
  /** Followers per page: few, so that most fan-outs have a plan, and segments. */
  readonly pageSize: number;
  /** Called when it cannot continue. */
  readonly onFault: (error: Error) => void;
}

/** Carries tasks from the outbox to consumers: in any order, late, and some of them twice. */
export interface Carrier extends Pick<TaskPublisher, 'publish'> {
  /** How many consumers it feeds. */
  readonly consumers: number;
  /** Messages that consumers acknowledged. */
  readonly acknowledged: number;
  /** Maximum number of checks for remaining messages before a history counts as not coming to rest. */
  readonly patience: number;
  startConsumer(parts: ConsumerParts): Worker;
  /** Delivers these messages, to the nth idle consumer where the transport allows it. @param stay also delivers them again later */
  deliver(idle: readonly Worker[], nth: number, picks: Picks, stay: boolean): Promise<void>;
  /** Unacknowledged messages; if unknown, more than 0. */
  waiting(): Promise<number>;
  /** Loses the waiting messages. Returns how many. */
  lose(picks: Picks): number;
  /** Delivers everything ever published once more, in another order, except tasks of users. */
  publishAgain(random: Random): Promise<void>;
  close(): Promise<void>;
}
