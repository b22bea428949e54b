import process from 'node:process';
import { runCommandLine } from '../../../cli/program.ts';

/** `recency` on a site whose days last as long as they are played. Arguments: the ms of a day, then those of `recency`. */
const [dayMs, ...args] = process.argv.slice(2);
process.exitCode = await runCommandLine(args, { readerDayMs: Number(dayMs) });
