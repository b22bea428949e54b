import process from 'node:process';

const ENDING = ['SIGINT', 'SIGTERM'] as const;

/** npm, `timeout` and some supervisors send the same signal twice: so soon after the first, it is no second one, ms. */
const SAME_MS = 1_000;

export interface SignalHandlers {
  readonly onFirst: (signal: NodeJS.Signals) => void;
  /** Whoever sends it does not want to wait any longer. */
  readonly onSecond: (signal: NodeJS.Signals) => void;
}

/** Hears SIGINT and SIGTERM, until the function returned is called. */
export function onEndingSignals({ onFirst, onSecond }: SignalHandlers): () => void {
  let first: number | undefined;
  const hear = (signal: NodeJS.Signals) => {
    if (first === undefined) {
      first = performance.now();
      onFirst(signal);
    } else if (performance.now() - first > SAME_MS) onSecond(signal);
  };
  for (const signal of ENDING) process.on(signal, hear);
  return () => {
    for (const signal of ENDING) process.off(signal, hear);
  };
}
