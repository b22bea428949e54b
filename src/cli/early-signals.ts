/**
 * Signals from the first moment on. Until a process listens to them itself it has opened nothing, so it ends at once; by default
 * it would end by the signal, which supervisors take for a crash, and as process 1 of a container it would not even notice.
 */
import process from 'node:process';
import { METRICS_PORTS } from '../config/readiness-url.ts';

const ENDING = ['SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGUSR2'];

const [, , command = ''] = process.argv;
if (['serve', ...Object.keys(METRICS_PORTS)].includes(command)) hear();

function hear(): void {
  const end = () => process.exit(0);
  const ignore = () => undefined; // the settings are not read yet, so there is nothing to read again
  const listeners = new Map<string, () => void>(ENDING.map((signal) => [signal, end]));
  if (!process.stdout.isTTY) listeners.set('SIGHUP', ignore);
  const giveWay = (event: string | symbol) => {
    if (!listeners.has(String(event))) return;
    process.off('newListener', giveWay);
    // Afterwards: Node stops listening to a signal as its last listener goes, and has begun to listen for the new one already.
    process.nextTick(() => {
      for (const [signal, listener] of listeners) process.off(signal, listener);
    });
  };
  for (const [signal, listener] of listeners) process.on(signal, listener);
  process.on('newListener', giveWay);
}
