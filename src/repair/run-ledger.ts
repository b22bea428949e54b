import { CONTACTS } from '../contracts/kind.ts';
import { addCounts } from './counts.ts';
import { isContactsAlone } from './run-parameters.ts';
import type { RunReport } from './run-work.ts';

/** What a run found and did about one kind. */
type KindReport<R extends RunReport> = Pick<R, 'before' | 'after'>;

/** As saved. A run over contacts alone saves its report and nothing else, as runs did before there were kinds. */
export type SavedReport<R extends RunReport> = R & {
  readonly kinds?: Readonly<Record<string, KindReport<R>>>;
  /** The name of the kind that the cursor is about. */
  readonly at?: string;
};

/**
 * How far a run over some kinds has come: its report, what each kind adds to it, and which kind is being done. It never
 * changes: after an error the previous one still holds.
 */
export class RunLedger<R extends RunReport> {
  /** The names of the kinds, in the order in which they are done. */
  readonly names: readonly string[];
  readonly #saved: SavedReport<R>;
  readonly #empty: R;

  private constructor(names: readonly string[], saved: SavedReport<R>, empty: R) {
    this.names = names;
    this.#saved = saved;
    this.#empty = empty;
  }

  /** Of a run that has done nothing. */
  static begin<R extends RunReport>(names: readonly string[], empty: R): RunLedger<R> {
    const isOfContacts = isContactsAlone(names);
    return new RunLedger(names, isOfContacts ? empty : { ...empty, kinds: {}, at: String(names[0]) }, empty);
  }

  /** Of a run that is resumed. @param saved what `saved` was */
  static resume<R extends RunReport>(names: readonly string[], saved: SavedReport<R>, empty: R): RunLedger<R> {
    return new RunLedger(names, saved, empty);
  }

  /** What to save. */
  get saved(): SavedReport<R> {
    return this.#saved;
  }

  /** The sum over the kinds. */
  get report(): R {
    const { kinds: _, at: __, ...report } = this.#saved;
    return report as unknown as R;
  }

  /** The kind that is being done. */
  get at(): string {
    return this.#saved.at ?? CONTACTS.name;
  }

  get kindsLeft(): readonly string[] {
    return this.names.slice(this.names.indexOf(this.at) + 1);
  }

  /** What the run found and did about each kind, as `--json` prints it; undefined: it is about contacts alone. */
  get byKind(): Readonly<Record<string, R['before'] & R['after']>> | undefined {
    if (this.#saved.kinds === undefined) return undefined;
    const shown = this.names.map((name) => [name, { ...this.of(name).before, ...this.of(name).after }]);
    return Object.fromEntries(shown);
  }

  of(name: string): KindReport<R> {
    const { kinds } = this.#saved;
    if (kinds === undefined) return this.#saved;
    const { before, after } = kinds[name] ?? this.#empty;
    return { before, after };
  }

  /** With a page of the kind that is being done. */
  with(page: R): RunLedger<R> {
    const report = addCounts(this.report, page);
    const { kinds } = this.#saved;
    if (kinds === undefined) return new RunLedger(this.names, report, this.#empty);
    const { at } = this;
    const { before, after } = this.of(at);
    const part: KindReport<R> = { before: addCounts(before, page.before), after: addCounts(after, page.after) };
    return new RunLedger(this.names, { ...report, kinds: { ...kinds, [at]: part }, at }, this.#empty);
  }

  /** At the next kind; undefined: this was the last. */
  next(): RunLedger<R> | undefined {
    const [at] = this.kindsLeft;
    return at === undefined ? undefined : new RunLedger(this.names, { ...this.#saved, at }, this.#empty);
  }
}
