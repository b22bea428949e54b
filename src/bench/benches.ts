import type { Bench } from './bench.ts';
import { fanout } from './fanout/fanout.ts';
import { read } from './read/read.ts';
import { tasks } from './tasks/tasks.ts';

/** Each with a size of its own kind, which only it looks into. */
// biome-ignore lint/suspicious/noExplicitAny: a list of benches of different sizes
export const BENCHES: readonly Bench<any>[] = [read, fanout, tasks];
