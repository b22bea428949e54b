import type { ProcessContext } from './run-process.ts';

/** Starts work that goes on until the process ends, which waits for it. What it rejects with ends the process. */
export function inBackground(
  { resources, fail }: Pick<ProcessContext, 'resources' | 'fail'>,
  work: (signal: AbortSignal) => Promise<void>,
): void {
  const ending = new AbortController();
  const running = work(ending.signal).catch(fail);
  resources.defer(async () => {
    ending.abort();
    await running;
  });
}
