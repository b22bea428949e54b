import type { Echo } from '../../src/capture/change-source.ts';
import type { Product } from '../load-product.ts';
import type { Violation } from '../violation.ts';
import { type Call, HeldCapture, REFUSED } from './held-capture.ts';
import { CAPTURED, type CaptureScenario, type Logged, type OwnRow } from './world.ts';

/** Raised behind the write of capture that was the newest, and the changes that could be seen. */
interface Barrier {
  readonly fence: number;
  readonly seen: readonly number[];
}

/**
 * A site, its log and the capture of it, from the start on. A transaction is in the log before it can be seen, and becomes visible in the
 * order of the log. An index is told of a change by a hint that is published when the change can be seen, and by a new epoch.
 */
export class CaptureMoves {
  readonly #code: Product['code'];
  readonly #actions: readonly Logged['is'][];
  readonly #faults: Set<string>;
  #beats: number;
  #barriers: number;
  #barrier: Barrier | undefined;
  #done = 0;
  #log: Logged[] = [{ is: 'own', row: CAPTURED }];
  /** So many transactions of the log can be seen. */
  #visible = 1;
  /** The changes that can be seen, of this log and of earlier ones; and those that the index knows. */
  readonly #seen = new Set<number>();
  readonly #told = new Set<number>();
  #row = CAPTURED;
  #capture: HeldCapture | undefined;
  /** The transaction that the pending write of capture has become. */
  #written: Logged | undefined;
  #reading = 0;
  /** Has a write of the process that runs, or the one before its position, come back? Time passes until one has. */
  #hasEcho = false;
  /** What the process that runs was answered: all that its state depends on. */
  #answers: unknown[] = [];
  /** Nonces are random; they are numbered as they come. */
  readonly #nonces = new Map([[CAPTURED.nonce, 0]]);

  constructor(code: Product['code'], { actions, faults, beats, barriers }: CaptureScenario) {
    this.#code = code;
    this.#actions = actions;
    this.#faults = new Set(faults);
    this.#beats = beats;
    this.#barriers = barriers;
  }

  /** What may happen now. */
  get moves(): string[] {
    const isWaiting = this.#visible < this.#log.length;
    return [
      ...(this.#done < this.#actions.length ? [`change ${this.#done + 1} is in the log`] : []),
      ...(isWaiting ? [`transaction ${this.#visible + 1} of the log can be seen`] : []),
      ...(this.#capture === undefined ? ['capture starts'] : this.#answersOf(this.#capture.call)),
      ...(this.#capture !== undefined && this.#faults.has('kill') ? ['capture is killed'] : []),
      ...(this.#capture !== undefined && this.#faults.has('reset') && !isWaiting
        ? ['capture is killed, and the log reset']
        : []),
      ...(this.#faults.has('set back') && !this.#isLocked() ? ['the row is set back'] : []),
      ...(this.#barriers > 0 ? ['a barrier is raised'] : []),
    ];
  }

  /** States with equal texts are one. */
  get text(): string {
    const numbered = (_key: string, value: unknown) =>
      this.#nonces.has(value as string) ? `n${this.#nonces.get(value as string)}` : value;
    return JSON.stringify(
      [
        [this.#done, this.#beats, ...this.#faults],
        this.#log,
        [this.#visible, this.#row, this.#reading, this.#hasEcho, this.#written !== undefined],
        [[...this.#seen].sort(), [...this.#told].sort()],
        [this.#barriers, this.#barrier],
        [this.#capture?.call, this.#answers],
      ],
      numbered,
    );
  }

  /** Nothing is on its way: every change must be known. */
  get isAtRest(): boolean {
    const hasRead = this.#capture?.call?.does === 'next' && this.#reading === this.#log.length;
    return this.#done === this.#actions.length && this.#visible === this.#log.length && hasRead && this.#hasEcho;
  }

  /**
   * C1: each change that can be seen was hinted at when it could be, or an epoch began after it. C2: so is each that could be seen before a
   * barrier was raised that is passed.
   */
  judge(): Violation | undefined {
    const late = this.#isPassed() ? this.#barrier?.seen.find((change) => !this.#told.has(change)) : undefined;
    if (late !== undefined) return { rule: 'C2', what: `the barrier is passed, and nobody was told of change ${late}` };
    if (!this.isAtRest) return undefined;
    const missed = [...this.#seen].find((change) => !this.#told.has(change));
    return missed === undefined ? undefined : { rule: 'C1', what: `nobody was told of change ${missed}` };
  }

  /** Makes one of `moves`. */
  async make(move: string): Promise<void> {
    if (move.startsWith('change')) this.#log.push({ is: this.#actions[this.#done++], change: this.#done } as Logged);
    else if (move.startsWith('transaction')) await this.#show();
    else if (move === 'capture starts') this.#start();
    else if (move === 'a barrier is raised') this.#raise();
    else if (move === 'the row is set back') this.#setBack();
    else if (move === 'capture is killed') this.#kill();
    else if (move === 'capture is killed, and the log reset') this.#reset();
    else await this.#reply(move);
  }

  #start(): void {
    this.#answers = [];
    this.#hasEcho = false;
    this.#capture = new HeldCapture(this.#code, (position) => {
      this.#reading = Number(position);
    });
  }

  #kill(): void {
    this.#faults.delete('kill');
    this.#capture = undefined;
    this.#written = undefined;
    this.#answers = [];
  }

  #reset(): void {
    this.#kill();
    this.#faults.delete('reset');
    this.#log = [];
    this.#visible = 0;
  }

  #raise(): void {
    this.#barriers--;
    this.#barrier = { fence: this.#row.fences, seen: [...this.#seen].sort() };
  }

  /** As `isCapturedPast` (mysql/capture.ts) has it. */
  #isPassed(): boolean {
    return this.#barrier !== undefined && this.#row.published > this.#barrier.fence;
  }

  #setBack(): void {
    this.#faults.delete('set back');
    this.#log.push({ is: 'own', row: CAPTURED });
  }

  async #show(): Promise<void> {
    const shown = this.#log[this.#visible++] as Logged;
    if ('change' in shown) this.#seen.add(shown.change);
    if (shown.is === 'own') this.#row = shown.row;
    if (shown.is === 'epoch') for (const change of this.#seen) this.#told.add(change);
    if (shown !== this.#written) return;
    this.#written = undefined;
    await this.#answer(undefined);
  }

  /** How the call of capture may be answered; none: it waits until its write can be seen. */
  #answersOf(call: Call | undefined): string[] {
    if (call === undefined || this.#written !== undefined) return [];
    if (call.does === 'save' && this.#isLocked()) return [];
    if (call.does === 'save') {
      return [this.#row.fences < call.least ? 'the row is older than it must be' : "capture's own write is in the log"];
    }
    if (call.does === 'epoch') return ['the new epoch is in the log'];
    if (call.does === 'present') return ['capture asks for the present'];
    if (call.does === 'read') return ['capture reads its row'];
    if (call.does === 'publish') return [`capture publishes the hints of ${call.changes.join(', ')}`];
    const left = this.#log.length - this.#reading;
    if (left < 0) return ['the server does not have the position'];
    if (left === 0) return this.#beats > 0 || !this.#hasEcho ? ['a second passes'] : [];
    if (this.#log[this.#reading]?.is === 'statement') return ['capture reads the statement'];
    return left === 1 ? ['capture reads 1'] : ['capture reads 1', 'capture reads all'];
  }

  /** A write of the row that was killed with its process may not be seen yet. */
  #isLocked(): boolean {
    return this.#log.slice(this.#visible).some(({ is }) => is === 'own');
  }

  async #reply(move: string): Promise<void> {
    const call = this.#capture?.call as Call;
    if (call.does === 'read') return await this.#answer(this.#row);
    if (call.does === 'present') return await this.#answer(String(this.#log.length));
    if (call.does === 'epoch') this.#write({ is: 'epoch' });
    if (call.does === 'save' && this.#row.fences < call.least) await this.#answer(REFUSED);
    else if (call.does === 'save') this.#write({ is: 'own', row: this.#ownRow(call.row) });
    if (call.does === 'publish') {
      for (const change of call.changes) if (this.#seen.has(change)) this.#told.add(change);
      await this.#answer(undefined);
    }
    if (call.does === 'next') await this.#read(move);
  }

  #ownRow(row: Omit<OwnRow, 'fences'>): OwnRow {
    this.#nonces.set(row.nonce, this.#nonces.size);
    return { ...row, fences: this.#row.fences + 1 };
  }

  #write(logged: Logged): void {
    this.#written = logged;
    this.#log.push(logged);
  }

  async #read(move: string): Promise<void> {
    const { CaptureGap } = this.#code;
    const capture = this.#capture as HeldCapture;
    if (move === 'the server does not have the position') return await this.#refuse(new CaptureGap('position', move));
    if (move === 'capture reads the statement') return await this.#refuse(new CaptureGap('statement', move));
    if (move === 'a second passes') {
      this.#beats = Math.max(0, this.#beats - 1);
      capture.now += 1_000;
      return await this.#answer({ changes: [], at: undefined, echoes: [] });
    }
    const from = this.#reading;
    const gap = this.#log.findIndex(({ is }, i) => i >= from && is === 'statement');
    const to = move === 'capture reads 1' ? from + 1 : gap < 0 ? this.#log.length : gap;
    this.#reading = to;
    capture.received += to - from;
    const read = this.#log.slice(from, to);
    const echoes = read.flatMap((one, i): Echo[] =>
      one.is === 'own' ? [{ at: 0, fence: one.row.fences, nonce: one.row.nonce, position: String(from + i) }] : [],
    );
    this.#hasEcho ||= echoes.length > 0;
    await this.#answer({ changes: read.flatMap((one) => ('change' in one ? [one.change] : [])), at: 0, echoes });
  }

  async #answer(reply: unknown): Promise<void> {
    this.#answers.push(reply ?? null);
    await this.#capture?.answer(reply);
  }

  async #refuse(error: Error): Promise<void> {
    this.#answers.push(error.message);
    await this.#capture?.refuse(error);
  }
}
