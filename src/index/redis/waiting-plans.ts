import type { Id } from '../../contracts/id.ts';
import { CONTACTS, type Kind } from '../../contracts/kind.ts';
import { defineScript, type RedisClient, type Script } from '../../redis/connection.ts';
import { reply } from '../../redis/unavailable.ts';
import type { Epoch } from '../contact-index.ts';
import type { Steps } from '../protocol.ts';

/** How long a note is kept, ms. Without it there is a plan more than needed. */
const NOTE_MS = 24 * 3_600_000;

interface WaitingPlansOptions {
  /** Of every key in Redis. */
  readonly prefix: string;
  readonly kind?: Kind | undefined;
  /** A name that no other plan has. */
  readonly freshName: () => string;
}

/** In begin-plan.lua: no plan is known to be lost. */
const NONE_LOST = '-';

/** As the scripts write it. A version before places were noted wrote `published` alone. */
const PUBLISHED = /^(?<epoch>\S+) \S+ published:?(?<place>\S*)$/;

/** Notes in Redis which owners' plans wait in the bulk lane, one key for each owner. See `announce` in ../fan-out.ts. */
export class WaitingPlans implements Pick<Steps, 'beginPlan' | 'notedPlan' | 'planPublished' | 'takePlan'> {
  readonly #client: RedisClient;
  readonly #prefix: string;
  readonly #freshName: () => string;
  readonly #scripts: Readonly<Record<'begin' | 'published' | 'take', Script>>;

  constructor(client: RedisClient, { prefix, kind = CONTACTS, freshName }: WaitingPlansOptions) {
    this.#client = client;
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
  async beginPlan(epoch: Epoch, owner: Id, lost = NONE_LOST): Promise<string | undefined> {
    const plan = this.#freshName();
    const isNoted = await this.#scripts.begin([this.#key(owner)], [epoch, plan, NOTE_MS, lost]);
    return isNoted === 1 ? plan : undefined;
  }

  /** @throws RedisUnavailable */
  async notedPlan(epoch: Epoch, owner: Id): Promise<string | undefined> {
    const note = (await reply(this.#client.get(this.#key(owner)))) ?? '';
    const { epoch: of, place } = PUBLISHED.exec(note)?.groups ?? {};
    return of === epoch ? place : undefined;
  }

  /** @throws RedisUnavailable */
  async planPublished(epoch: Epoch, owner: Id, plan: string, place = ''): Promise<void> {
    await this.#scripts.published([this.#key(owner)], [epoch, plan, NOTE_MS, place]);
  }

  /** @throws RedisUnavailable */
  async takePlan(owner: Id, plan: string): Promise<void> {
    await this.#scripts.take([this.#key(owner)], [plan]);
  }

  #key(owner: Id): string {
    return `${this.#prefix}:{${owner}}`;
  }
}
