import { setTimeout as pause } from 'node:timers/promises';
import { captureBarrier } from '../../../index/index-drain-barrier.ts';
import { CapturingProcess } from '../../harness/processes/capturing.ts';
import { settle } from '../../harness/stores.ts';
import type { Ground } from '../bench.ts';
import type { ContactChanges } from '../contact-changes.ts';
import type { CapturedSite, CaptureSize } from './site.ts';

/** Between the start of the changes, or of another process, and the kill, at most, ms. */
const MOST_MS = 500;

/** Kills the capturing process by SIGKILL while rows change; another takes over. */
export async function killWhileWriting(
  { stores, processGroup, signal }: Ground,
  { capturing, mapping }: CapturedSite,
  load: ContactChanges,
  { kills, rate }: Pick<CaptureSize, 'kills' | 'rate'>,
) {
  const ending = new AbortController();
  const loading = load.run(rate, AbortSignal.any([ending.signal, signal]));
  let victim = capturing;
  let seconds = 0;
  try {
    for (let kill = 1; kill <= kills; kill++) {
      await pause(Math.random() * MOST_MS, undefined, { signal });
      const from = performance.now();
      await processGroup.kill(victim.member);
      victim = await CapturingProcess.start(processGroup, mapping, `capture ${kill + 1}`);
      await settle(captureBarrier(stores.primary), signal);
      seconds = Math.max(seconds, (performance.now() - from) / 1000);
    }
    return { kills, rate, seconds_until_captured: Math.round(seconds * 10) / 10 };
  } finally {
    ending.abort();
    await loading;
  }
}
