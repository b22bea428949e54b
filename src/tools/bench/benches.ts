import type { Bench } from './bench.ts';
import { capture } from './capture/capture.ts';
import { celebrity } from './celebrity/celebrity.ts';
import { denormalised } from './denormalised/denormalised.ts';
import { epoch } from './epoch/epoch.ts';
import { fanout } from './fanout/fanout.ts';
import { freshness } from './freshness.ts';
import { history } from './history/history.ts';
import { idle } from './idle.ts';
import { backfill, repair } from './jobs/jobs.ts';
import { load } from './load.ts';
import { memory } from './memory.ts';
import { overload } from './overload.ts';
import { pages } from './pages/pages.ts';
import { pays } from './pays/pays.ts';
import { push } from './push/push.ts';
import { read } from './read/read.ts';
import { tasks } from './tasks/tasks.ts';
import { uploads } from './uploads/uploads.ts';

/** Each with a size of its own kind, which only it looks into. */
// biome-ignore lint/suspicious/noExplicitAny: a list of benches of different sizes
export const BENCHES: readonly Bench<any>[] = [
  read,
  fanout,
  tasks,
  freshness,
  memory,
  backfill,
  repair,
  load,
  overload,
  epoch,
  pages,
  pays,
  push,
  celebrity,
  capture,
  history,
  uploads,
  idle,
  denormalised,
];
