import type { Id } from '../../contracts/id.ts';

/** An upload, committed. */
export interface PushedUpload {
  readonly owner: Id;
  /** Its upload time, ms since 1970 UTC: no two uploads of an owner share one. */
  readonly at: number;
  /** Its owner's followers may see it. */
  readonly isVisible: boolean;
  /** When the commit was known, by the monotonic clock, ms. */
  readonly committedAt: number;
}

/** What a watcher was told of one contact. */
export interface ToldUpload {
  readonly user: Id;
  readonly contact: Id;
  readonly at: number;
  /** The id of the notification; '' for a channel that has none. */
  readonly notification: string;
  /** By the monotonic clock, ms. */
  readonly receivedAt: number;
}

/** What became of the uploads of a run. */
export interface PushAccount {
  /** Latencies of the first time that each upload was told to each watcher, ms. */
  readonly times: readonly number[];
  /** Watchers of an owner who were not told of the owner's latest visible upload. */
  readonly missed: number;
  /** The same upload told twice to a watcher, under the same id, as it may. */
  readonly twice: number;
  /** The same upload told twice to a watcher under different ids. */
  readonly wrongIds: number;
  /** Uploads told that nobody may see. */
  readonly notVisible: number;
}

/** Compares what was uploaded with what was told. An upload that is followed by another of the same owner need not be told by itself. */
export class Ledger {
  readonly #uploads = new Map<string, PushedUpload>();
  readonly #told = new Map<string, ToldUpload[]>();
  /** Notifications received; one may tell of several uploads. */
  notifications = 0;

  upload(upload: PushedUpload): void {
    this.#uploads.set(`${upload.owner} ${upload.at}`, upload);
  }

  told(told: ToldUpload): void {
    const pair = `${told.user} ${told.contact}`;
    const list = this.#told.get(pair);
    if (list === undefined) this.#told.set(pair, [told]);
    else list.push(told);
  }

  /** @param followersOf the watchers of an owner */
  account(followersOf: (owner: Id) => readonly Id[]): PushAccount {
    const pairs = [...this.latest()].flatMap(([contact, at]) =>
      followersOf(contact).map((user) => ({ told: this.#told.get(`${user} ${contact}`) ?? [], at })),
    );
    const all = [...this.#told.values()];
    return {
      times: all.flatMap((told) => this.#timesOf(told)),
      missed: pairs.filter(({ told, at }) => !told.some((one) => one.at === at)).length,
      twice: all.reduce((sum, told) => sum + repeatedIn(told).same, 0),
      wrongIds: all.reduce((sum, told) => sum + repeatedIn(told).other, 0),
      notVisible: all.flat().filter((one) => this.#uploads.get(`${one.contact} ${one.at}`)?.isVisible === false).length,
    };
  }

  /** Is everything told that must be? */
  isComplete(followersOf: (owner: Id) => readonly Id[]): boolean {
    return this.account(followersOf).missed === 0;
  }

  /** The latest visible upload of each owner. */
  latest(): ReadonlyMap<Id, number> {
    const latest = new Map<Id, number>();
    for (const { owner, at, isVisible } of this.#uploads.values()) {
      if (isVisible) latest.set(owner, Math.max(at, latest.get(owner) ?? 0));
    }
    return latest;
  }

  #timesOf(told: readonly ToldUpload[]): number[] {
    const first = new Map<number, ToldUpload>();
    for (const one of told) if (!first.has(one.at)) first.set(one.at, one);
    return [...first.values()].flatMap(({ contact, at, receivedAt }) => {
      const upload = this.#uploads.get(`${contact} ${at}`);
      return upload === undefined ? [] : [receivedAt - upload.committedAt];
    });
  }
}

/** Deliveries of an upload after its first one: under the same id, and under another. */
function repeatedIn(told: readonly ToldUpload[]): { same: number; other: number } {
  const idOf = new Map<number, string>();
  const repeated = { same: 0, other: 0 };
  for (const { at, notification } of told) {
    const first = idOf.get(at);
    if (first === undefined) idOf.set(at, notification);
    else repeated[first === notification ? 'same' : 'other']++;
  }
  return repeated;
}
