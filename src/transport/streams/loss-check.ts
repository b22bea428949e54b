import type { GroupHistory, Loss } from '../task-source.ts';
import type { ConsumerGroup, GroupState } from './consumer-group.ts';
import { isBefore } from './entries.ts';

/**
 * The last entry that a group has consumed, kept outside the stream's Redis: a Redis that came back with an older copy of its
 * data cannot tell that it is older. The mark may lag behind.
 */
export interface StreamMark {
  load(): Promise<string | undefined>;
  save(entry: string): Promise<void>;
}

interface LossCheckOptions {
  readonly group: ConsumerGroup;
  readonly stream: string;
  readonly history: GroupHistory;
  /** Must this group have consumed before, because indexes exist? Asked if it has no positions. */
  readonly expectsOffsets: (hasStarted: boolean) => Promise<boolean>;
  readonly mark?: StreamMark;
}

const BEGINNING = '0-0';
const GONE = 'the stream or its consumer group is gone';

/**
 * Checks that the stream has lost nothing: at the start, after every reconnection, and now and then. A loss is reported until
 * the report succeeds; then the group is brought up to date, so that the same loss is not found again.
 */
export class LossCheck {
  readonly #options: LossCheckOptions;
  readonly #found: Loss[] = [];
  /** The last entry delivered to this process. */
  #seen: string | undefined;
  /** A consumer has seen that the group was moved: the next check says whether that is a loss. */
  #isMoved = false;
  #saved: string | undefined;
  /** The start of the group is on record. */
  #hasStarted = false;
  /** How many entries had ever been added to the stream, at the last check. */
  #added = 0;

  constructor(options: LossCheckOptions) {
    this.#options = options;
  }

  /** Records that an entry was delivered to this process. */
  saw(entry: string): void {
    if (this.#seen === undefined || isBefore(this.#seen, entry)) this.#seen = entry;
  }

  /** Records that entries were removed before they were acknowledged. */
  sawDeleted(entries: readonly string[]): void {
    if (entries.length === 0) return;
    this.#found.push(
      this.#loss(`${entries.length} entries from ${entries[0]} were removed before they were acknowledged`),
    );
  }

  /** The group does not stand where its consumers have left it. */
  sawMoved(): void {
    this.#isMoved = true;
  }

  /** Is there a loss to report at once? */
  get isDue(): boolean {
    return this.#isMoved || this.#found.length > 0;
  }

  async run(report: (loss: Loss) => Promise<void>): Promise<void> {
    const { group, mark } = this.#options;
    const known = await mark?.load(); // before the state: other consumers move the mark on meanwhile
    let state = await group.state();
    const isMissed = state === undefined && (await this.#isExpected(known));
    if (isMissed) state = await group.state(); // another process may have created the group in between
    const loss = state === undefined ? isMissed && this.#loss(GONE) : this.#of(state, known);
    for (const one of loss ? [...this.#found, loss] : this.#found) await report(one);
    this.#found.length = 0;
    if (state === undefined) await group.create();
    else if (state.isForeign || loss) await group.accept();
    this.#isMoved = false;
    await this.#recordStart();
    if (loss) this.#seen = state?.lastDelivered ?? BEGINNING;
    this.#added = state?.added ?? 0;
    await this.#saveMark();
    if (state === undefined) await this.run(report); // what was removed from the stream before its first reader came
  }

  async #recordStart(): Promise<void> {
    if (!this.#hasStarted) await this.#options.history.recordStart();
    this.#hasStarted = true;
  }

  /** Saves the mark, once the stream is known to be complete up to there, or to have started again. */
  async #saveMark(): Promise<void> {
    if (this.#seen === undefined || this.#seen === this.#saved) return;
    await this.#options.mark?.save(this.#seen);
    this.#saved = this.#seen;
  }

  async #isExpected(known: string | undefined): Promise<boolean> {
    const seen = this.#seen ?? known;
    return (seen !== undefined && seen !== BEGINNING) || (await this.#isStartExpected());
  }

  async #isStartExpected(): Promise<boolean> {
    const { history, expectsOffsets } = this.#options;
    return await expectsOffsets(await history.hasStarted());
  }

  #of(state: GroupState, known: string | undefined): Loss | undefined {
    const { lastAdded, added, lastDelivered, removedUnread, removedByOthers, settledByOthers } = state;
    if (known !== undefined && isBefore(lastAdded, known)) {
      return this.#loss(`it ends at ${lastAdded}, and ${known} was consumed before`);
    }
    if (this.#seen !== undefined && isBefore(lastDelivered, this.#seen)) {
      return this.#loss(`its group stands at ${lastDelivered}, and ${this.#seen} was consumed before`);
    }
    if (added < this.#added) return this.#loss(`it has had ${added} entries, and ${this.#added} before`);
    if (removedUnread > 0) return this.#loss(`${removedUnread} entries were removed before they were read`);
    if (state.isMixed) return undefined; // a former version does all of the following without a mark
    if (state.isMoved)
      return this.#loss(`its group stands at ${lastDelivered}, where none of its consumers has left it`);
    if (removedByOthers > 0)
      return this.#loss(`${removedByOthers} entries were removed by somebody else, perhaps unread`);
    if (settledByOthers === 0 || this.#found.length > 0) return undefined; // entries that are gone are not pending
    return this.#loss(`${settledByOthers} entries that were delivered are settled, and none of its consumers did it`);
  }

  #loss(what: string): Loss {
    return { reason: 'stream_lost', detail: `stream ${this.#options.stream}: ${what}` };
  }
}
