import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { settledWithin } from '../../src/timing/deadline.ts';
import type { Behaviour, Told } from './consumer-process.ts';
import type { Place, Wanted } from './place.ts';

/** More than a consumer needs to finish its batch and to leave its group. */
const STOP_MS = 60_000;

const SCRIPT = fileURLToPath(new URL('./consumer-process.ts', import.meta.url));

/** A consumer in a process of its own. */
export class OtherProcess {
  readonly told: Told[] = [];
  readonly #child: ChildProcess;

  constructor(place: Place, behaviour: Behaviour, wanted: Pick<Wanted, 'holdMs'> = {}) {
    const args = [place, wanted, behaviour].map((value) => JSON.stringify(value));
    this.#child = fork(SCRIPT, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
    this.#child.on('message', (message: Told) => this.told.push(message));
    this.#child.on('exit', (code) => {
      if (code) this.told.push({ kind: 'failed', why: `the process ended with ${code}` }); // its run has failed
    });
  }

  /** Ids, or positions, of what it received or has handled. */
  all(kind: 'received' | 'handled', what: 'ids' | 'positions' = 'ids'): string[] {
    return this.told.flatMap((one) => (one.kind === kind ? one[what] : []));
  }

  behave(behaviour: Behaviour): void {
    this.#child.send(behaviour);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    if (this.#isOver()) return;
    const over = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await over;
  }

  /** In order. @throws Error if it does not end */
  async stop(): Promise<void> {
    if (this.#isOver()) return;
    const over = once(this.#child, 'exit');
    this.#child.send('stop');
    if (!(await settledWithin(over, STOP_MS))) throw new Error(`a consumer did not stop within ${STOP_MS / 1000} s`);
  }

  #isOver(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}
