import type { Id } from '../../contracts/id.ts';
import { CONTACTS, type Kind } from '../../contracts/kind.ts';
import type { RedisClient } from '../../redis/connection.ts';
import { defineScript, type Script } from '../../redis/script.ts';
import type { Epoch } from '../contact-index.ts';
import type { Steps } from '../protocol.ts';

/** How long a note is kept, ms. Without it there is a plan more than needed. */
const NOTE_MS = 24 * 3_600_000;

export interface WaitingPlansOptions {
  /** Of every key in Redis. */
  readonly prefix: string;
  readonly kind?: Kind | undefined;
  /** A name that no other plan has. */
  readonly freshName: () => string;
}

/** Notes in Redis which owners' plans wait in the bulk lane, one key for each owner. See `announce` in ../fan-out.ts. */
export class WaitingPlans implements Pick<Steps, 'beginPlan' | 'planPublished' | 'takePlan'> {
  readonly #prefix: string;
  readonly #freshName: () => string;
  readonly #scripts: Readonly<Record<'begin' | 'published' | 'take', Script>>;

  constructor(client: RedisClient, { prefix, kind = CONTACTS, freshName }: WaitingPlansOptions) {
    this.#prefix = kind.name === CONTACTS.name ? `${prefix}:plan` : `${prefix}:plan:${kind.name}`;
    this.#freshName = freshName;
    const define = (name: string) =>
      defineScript(client, name.replace('-', '_'), new URL(`./lua/${name}.lua`, import.meta.url));
    this.#scripts = {
      begin: define('begin-plan'),
      published: define('plan-published'),
      take: define('take-plan'),
    };
  }

  /** @throws RedisUnavailable */
  async beginPlan(epoch: Epoch, owner: Id): Promise<string | undefined> {
    const plan = this.#freshName();
    const isNoted = await this.#scripts.begin([this.#key(owner)], [epoch, plan, NOTE_MS]);
    return isNoted === 1 ? plan : undefined;
  }

  /** @throws RedisUnavailable */
  async planPublished(epoch: Epoch, owner: Id, plan: string): Promise<void> {
    await this.#scripts.published([this.#key(owner)], [epoch, plan, NOTE_MS]);
  }

  /** @throws RedisUnavailable */
  async takePlan(owner: Id, plan: string): Promise<void> {
    await this.#scripts.take([this.#key(owner)], [plan]);
  }

  #key(owner: Id): string {
    return `${this.#prefix}:{${owner}}`;
  }
}
