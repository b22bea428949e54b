import process from 'node:process';
import { EXIT, type ExitCode } from './exit-code.ts';
import { Progress } from './progress.ts';

/** What a command says: its result on stdout, everything else on stderr. */
export class Output {
  readonly json: boolean;
  /** How the command ends. */
  exitCode: ExitCode = EXIT.done;

  constructor(json: boolean) {
    this.json = json;
  }

  /** The result, or one row of it: an object with --json, otherwise text for people. */
  async result(value: object, text: string | (() => string | Promise<string>)): Promise<void> {
    if (this.json) this.#write(JSON.stringify(value));
    else this.#write(typeof text === 'string' ? text : await text());
  }

  /** Beside the result: what is being done, what to do next. */
  note(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** A bar in a terminal, plain lines elsewhere. @param total of the units; undefined: not known */
  progress(unit: string, total?: number): Progress {
    return new Progress({ unit, total, bar: process.stderr.isTTY && !this.json, write: (text) => this.note(text) });
  }

  #write(text: string): void {
    process.stdout.write(`${text}\n`);
  }
}
