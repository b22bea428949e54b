import { SingleBar } from 'cli-progress';
import { columnsOf, count } from './layout.ts';

/** How far a step is. */
export type Progress = (done: number, total: number) => void;

/** A step under way, as people see it. */
export interface ShownStep {
  readonly update: Progress;
  /** It is over: nothing of it is left in a terminal. */
  readonly end: () => void;
}

const BAR_WIDTH = 30;

/** In a terminal: the label, and a bar as soon as there is something to tell. */
export function stepInTerminal(out: NodeJS.WriteStream, label: string, unit: string): ShownStep {
  const format = columnsOf('…', label, `{bar} {percentage}% of {total} ${unit}`, Number.POSITIVE_INFINITY);
  const bar = new SingleBar({ stream: out, format, clearOnComplete: true, barsize: BAR_WIDTH, gracefulExit: false });
  out.write(columnsOf('…', label, ''));
  let started = false;
  return {
    update: (done, total) => {
      if (!started) clearLine(out);
      if (!started) bar.start(total, 0);
      started = true;
      bar.setTotal(total);
      bar.update(Math.round(done));
    },
    end: () => {
      bar.stop();
      clearLine(out);
    },
  };
}

/** Between two plain lines of one step. */
const LINE_EVERY_MS = 10_000;

/** Elsewhere: a line from time to time. @param now ms, monotonic */
export function stepInPlainLines(
  print: (line: string) => void,
  now: () => number,
  label: string,
  unit: string,
): ShownStep {
  let told = now();
  return {
    update: (done, total) => {
      if (now() - told < LINE_EVERY_MS || done >= total) return;
      told = now();
      print(columnsOf('…', label, `${count(done)} of ${count(total)} ${unit}`));
    },
    end: () => undefined,
  };
}

function clearLine(out: NodeJS.WriteStream): void {
  out.clearLine(0);
  out.cursorTo(0);
}
