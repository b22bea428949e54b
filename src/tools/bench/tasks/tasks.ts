import type { OutgoingTask } from '../../../transport/task-publisher.ts';
import { type Bench, type Ground, openGround } from '../bench.ts';
import { type Measurements, rounded } from '../report.ts';
import { inTurns, type Turn } from '../turns.ts';
import { bareLine, drain, prime, type TaskLine } from './line.ts';
import { openSite, type SiteSize, type TaskSite } from './site.ts';

export interface TasksSize extends SiteSize {
  /** The bare consumers get this many times the messages, or they would be done too soon to be timed. */
  readonly bareTimes: number;
  readonly rounds: number;
  readonly warmUp: number;
}

/**
 * A backlog of tasks, from the transport into the indexes. Each contact task is about another relationship that
 * changed, between users who all have an index; each upload is by another person.
 */
export const tasks: Bench<TasksSize> = {
  name: 'tasks',
  summary: 'tasks per second, from the transport into the indexes',
  transport: 'kafka',
  full: {
    ...{ users: 2_000, contacts: 100, contactTasks: 20_000, uploads: 300, consumers: 2 },
    ...{ bareTimes: 5, rounds: 3, warmUp: 1 },
  },
  quick: {
    ...{ users: 100, contacts: 10, contactTasks: 200, uploads: 10, consumers: 1 },
    ...{ bareTimes: 1, rounds: 1, warmUp: 0 },
  },
  measure,
};

interface TasksRow {
  readonly transport: 'kafka' | 'streams';
  readonly consumer: 'recency' | 'bare';
  readonly task: 'contact' | 'upload';
}

async function measure(ground: Ground, size: TasksSize): Promise<Measurements> {
  const { signal, progress } = ground;
  const kafka = await openSite(ground, size);
  const streams = await openSite(await openGround({ ...ground, transport: 'streams' }), size);
  const bare = await bareLine(ground, size.consumers);
  await prime(bare, kafka.contactTasks(), signal);
  progress(
    `${size.users} users with ${size.contacts} contacts and an index each; ${size.consumers} consumers a transport`,
  );
  const turns = turnsOf({ kafka, streams, bare }, size.bareTimes, signal);
  const measured = await inTurns(
    turns.map((turn) => [turn]),
    { ...size, signal },
  );
  await kafka.check();
  await streams.check();
  const rows = measured.map(({ median, ...row }) => ({ ...row, tasks_per_second: Math.round(median) }));
  return { rows, ratios: { kafka_over_bare_consumer: overBareConsumer(rows) } };
}

function turnsOf(
  { kafka, streams, bare }: { kafka: TaskSite; streams: TaskSite; bare: TaskLine },
  bareTimes: number,
  signal: AbortSignal,
): Turn<TasksRow>[] {
  const speed = async (line: TaskLine, some: readonly OutgoingTask[]) =>
    some.length / (await drain(line, some, signal));
  const ofRecency = (transport: TasksRow['transport'], task: TasksRow['task']): Turn<TasksRow> => {
    const site = { kafka, streams }[transport];
    const change = task === 'contact' ? site.changeContacts : site.upload;
    return { row: { transport, consumer: 'recency', task }, take: async () => speed(site.line, await change()) };
  };
  const ofBare: Turn<TasksRow> = {
    row: { transport: 'kafka', consumer: 'bare', task: 'contact' },
    take: () => speed(bare, Array.from({ length: bareTimes }, () => kafka.contactTasks()).flat()),
  };
  return [
    ofRecency('kafka', 'contact'),
    ofRecency('streams', 'contact'),
    ofBare,
    ofRecency('kafka', 'upload'),
    ofRecency('streams', 'upload'),
  ];
}

export function overBareConsumer(rows: readonly (TasksRow & { tasks_per_second: number })[]): number {
  const speed = (consumer: TasksRow['consumer']) =>
    rows.find((row) => row.transport === 'kafka' && row.task === 'contact' && row.consumer === consumer)
      ?.tasks_per_second ?? Number.NaN;
  return rounded(speed('recency') / speed('bare'));
}
