import process from 'node:process';
import { EXIT } from './exit-code.ts';

/** Ends this process, without a word, when whoever reads its output wants no more of it, as `… | head` does. */
export function endWhenUnread(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(EXIT.failed);
  });
}
