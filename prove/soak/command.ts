import process from 'node:process';
import { onEndingSignals } from '../../src/app/ending.ts';
import type { TransportName } from '../../src/tools/harness/namespace.ts';
import { plainReport, reportLines } from './report.ts';
import { soak } from './soak.ts';

export interface SoakFlags {
  readonly minutes: number;
  /** Undefined: any. */
  readonly seed: number | undefined;
  readonly people: number;
  /** Undefined: both. */
  readonly transport: TransportName | undefined;
  readonly json: boolean;
}

const ANY_SEED = 2 ** 31;

/** Runs the soak and prints its report. Ctrl-C ends it and leaves nothing behind. @returns the exit code: 1 if something was wrong */
export async function soakCommand({ minutes, seed = Date.now() % ANY_SEED, people, transport, json }: SoakFlags) {
  const print = (line: string) => (json ? console.error(line) : console.log(line));
  const ending = new AbortController();
  const forget = onEndingSignals({
    onFirst: () => ending.abort(),
    onSecond: () => process.exit(1),
  });
  print(`soaking for ${minutes} minutes, seed ${seed}`);
  try {
    const transports: TransportName[] = transport === undefined ? ['kafka', 'streams'] : [transport];
    const report = await soak({ minutes, seed, people, transports, print, signal: ending.signal });
    print(reportLines(report));
    if (json) console.log(JSON.stringify(plainReport(report)));
    return report.wrong.length === 0 ? 0 : 1;
  } catch (error) {
    const why = ending.signal.aborted ? 'interrupted' : (error as Error).message;
    print(`${why}\nto soak it again: npm run prove -- --soak ${minutes} --seed ${seed}`);
    return 1;
  } finally {
    forget();
  }
}
