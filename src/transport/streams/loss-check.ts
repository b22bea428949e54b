import type { GroupHistory, Loss } from '../task-source.ts';
import type { ConsumerGroup, GroupState } from './consumer-group.ts';
import { isBefore } from './entries.ts';
import type { RecordedStream } from './recorded-stream.ts';

interface LossCheckOptions {
  readonly group: ConsumerGroup;
  readonly stream: string;
  readonly history: GroupHistory;
  /** Must this group have consumed before, because indexes exist? Asked if it has no positions. */
  readonly expectsOffsets: (hasStarted: boolean) => Promise<boolean>;
  readonly recorded: Pick<RecordedStream, 'compare' | 'keepUp' | 'restart'>;
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
  /** The start of the group is on record. */
  #hasStarted = false;
  #recordedUpTo = BEGINNING;

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

  /** The last entry that was on record at the last check. */
  get recordedUpTo(): string {
    return this.#recordedUpTo;
  }

  async run(report: (loss: Loss) => Promise<void>): Promise<void> {
    const { group, recorded } = this.#options;
    let state = await group.state();
    const isMissed = state === undefined && (await this.#isExpected());
    if (isMissed) state = await group.state(); // another process may have created the group in between
    const compared = await recorded.compare();
    const loss = this.#notOnRecord(compared) ?? (state === undefined ? isMissed && this.#loss(GONE) : this.#of(state));
    for (const one of loss ? [...this.#found, loss] : this.#found) await report(one);
    this.#found.length = 0;
    if (state === undefined || loss) await group.create(); // a stream that is gone by now had a group a moment ago
    const accepted = state?.isForeign || loss ? await group.accept() : undefined;
    this.#isMoved = false;
    await this.#recordStart();
    if (loss) this.#seen = accepted?.lastDelivered ?? BEGINNING;
    if (compared.isSame) this.#recordedUpTo = await recorded.keepUp(compared);
    // Again, also for what was removed from the stream before its first reader came.
    if (compared.isSame ? state === undefined : !(await recorded.restart(compared))) await this.run(report);
  }

  async #recordStart(): Promise<void> {
    if (!this.#hasStarted) await this.#options.history.recordStart();
    this.#hasStarted = true;
  }

  async #isExpected(): Promise<boolean> {
    return (this.#seen !== undefined && this.#seen !== BEGINNING) || (await this.#isStartExpected());
  }

  async #isStartExpected(): Promise<boolean> {
    const { history, expectsOffsets } = this.#options;
    return await expectsOffsets(await history.hasStarted());
  }

  #notOnRecord({ known, isSame, now }: Awaited<ReturnType<RecordedStream['compare']>>): Loss | undefined {
    if (known === undefined || isSame) return undefined;
    const published = `${known.added} entries up to ${known.last} were published to it`;
    const other = now.origin === known.origin ? 'it' : 'it is another stream, which';
    return this.#loss(`${published}; ${other} has had ${now.added} up to ${now.last}`);
  }

  #of(state: GroupState): Loss | undefined {
    const { lastDelivered, removedUnread, removedByOthers, settledByOthers } = state;
    if (this.#seen !== undefined && isBefore(lastDelivered, this.#seen)) {
      return this.#loss(`its group stands at ${lastDelivered}, and ${this.#seen} was consumed before`);
    }
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
