import type { ChangeBatch, ChangeSource, RowChange } from '../../src/capture/change-source.ts';
import type { HintBatch } from '../../src/capture/hints.ts';
import type { Product } from '../load-product.ts';
import type { OwnRow } from './world.ts';

/** What capture waits for. */
export type Call =
  | { readonly does: 'read' | 'next' | 'present' | 'epoch' }
  | { readonly does: 'save'; readonly row: Omit<OwnRow, 'fences'>; readonly least: number }
  | { readonly does: 'publish'; readonly changes: readonly number[] };

/** The answer to a write of a row that is older than it must be. */
export const REFUSED = 'refused';

/** The product's capture, each of whose calls waits until it is answered. It makes one at a time. */
export class HeldCapture {
  readonly #code: Product['code'];
  #call: Call | undefined;
  #answer: (reply: unknown) => void = () => undefined;
  #refuse: (error: Error) => void = () => undefined;
  /** Ms. */
  now = 0;
  /** Transactions of the log that were read. */
  received = 0;
  /** Called when the log is opened. */
  readonly #opened: (position: string) => void;

  constructor(code: Product['code'], opened: (position: string) => void) {
    this.#code = code;
    this.#opened = opened;
    void this.#run();
  }

  get call(): Call | undefined {
    return this.#call;
  }

  /** Resolves when it waits again. */
  async answer(reply: unknown): Promise<void> {
    this.#call = undefined;
    this.#answer(reply);
    await idle();
  }

  async refuse(error: Error): Promise<void> {
    this.#call = undefined;
    this.#refuse(error);
    await idle();
  }

  #held<T>(call: Call): Promise<T> {
    this.#call = call;
    return new Promise((resolve, reject) => {
      this.#answer = resolve as (reply: unknown) => void;
      this.#refuse = reject;
    });
  }

  #run(): Promise<void> {
    const quiet = () => undefined;
    const capture = new this.#code.Capture({
      database: this.#database() as never,
      source: 'binlog',
      mapping: 'mapping',
      open: (position) => this.#source(position),
      present: () => this.#held({ does: 'present' }),
      server: async () => 'server',
      check: async () => undefined,
      newEpoch: () => this.#held({ does: 'epoch' }),
      begin: () => new Changes() as unknown as HintBatch,
      publisher: { publish: (tasks) => this.#held({ does: 'publish', changes: tasks as unknown as number[] }) },
      logger: { info: quiet, error: quiet, warn: quiet } as never,
      clock: { wall: () => this.now, now: () => this.now },
      stallMs: Number.MAX_SAFE_INTEGER,
    });
    return capture.run({ lease: 'capture', token: '1' }, new AbortController().signal);
  }

  #database() {
    return {
      rows: async (sql: string) => {
        const { position, proof, published, fences } = await this.#held<OwnRow>({ does: 'read' });
        return [sql.startsWith('SELECT fences') ? [fences] : ['server', position, proof, 'mapping', published, fences]];
      },
      write: async (_sql: string, values: unknown[]) => ({ affectedRows: (await this.#save(values)) ? 1 : 0 }),
    };
  }

  /** Whether the row was written. It always exists: to create it does nothing. */
  async #save(values: unknown[]): Promise<boolean> {
    if (values.length === 1) return false;
    const [_server, position, proof, _mapping, nonce, published, _at, _source, least] = values;
    const row = { position, proof, nonce, published } as OwnRow;
    const reply = await this.#held({ does: 'save', row, least: Number(least) });
    return reply !== REFUSED;
  }

  #source(position: string): ChangeSource {
    const next = (): Promise<ChangeBatch> => this.#held({ does: 'next' });
    const received = () => this.received;
    this.#opened(position);
    return {
      get received() {
        return received();
      },
      next,
      close: async () => undefined,
    };
  }
}

/** Instead of tasks, the numbers of the changes. */
class Changes {
  readonly tasks: number[] = [];
  readonly wanted = [];
  readonly oddIds = 0;

  add(change: RowChange): void {
    this.tasks.push(change as unknown as number);
  }
}

/** Whatever goes on without an answer has gone on. */
const idle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
