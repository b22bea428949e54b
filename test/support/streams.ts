import { pino } from 'pino';
import { Streams, type StreamsOptions } from '../../src/api/streams/streams.ts';
import { CONTACTS } from '../../src/contracts/kind.ts';
import { readEpoch } from '../../src/mysql/epoch.ts';
import { closeAtEnd } from './servers.ts';
import type { Stores } from './stores.ts';

/** Streams of contacts that look by themselves often; they end with the test file. */
export function streamsOn({ index, primary }: Pick<Stores, 'index' | 'primary'>, parts: Partial<StreamsOptions> = {}) {
  const streams = new Streams({
    nonces: async (kind, users) => (kind === CONTACTS.name ? await index.nonces(users) : users.map(() => '')),
    epoch: async () => (await readEpoch(primary)).token,
    isLate: () => false,
    isReplica: false,
    findMs: 10_000,
    most: 100,
    random: Math.random,
    now: () => performance.now(),
    logger: pino({ enabled: false }),
    lookMs: 20,
    ...parts,
  });
  const ending = new AbortController();
  const running = streams.run(ending.signal);
  closeAtEnd(async () => {
    ending.abort();
    streams.end();
    await running;
  });
  return streams;
}

export interface StreamEvent {
  readonly event?: string;
  readonly id?: string;
  readonly data?: string;
  readonly retry?: string;
  /** It was a comment. */
  readonly isComment: boolean;
}

/** What came over a stream so far, and whether it has ended. */
export interface Listening {
  readonly status: number;
  readonly headers: Headers;
  readonly events: StreamEvent[];
  readonly isOver: () => boolean;
  readonly stop: () => void;
}

/** Opens a stream and reads it to its end. */
export async function listen({ url }: { readonly url: string }, path: string, headers: Record<string, string> = {}) {
  const stopping = new AbortController();
  const response = await fetch(url + path, { headers, signal: stopping.signal });
  const events: StreamEvent[] = [];
  let isOver = false;
  const read = async () => {
    let text = '';
    for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop() ?? '';
      events.push(...blocks.map(eventOf));
    }
  };
  const over = () => {
    isOver = true;
  };
  read().then(over, over);
  const stop = () => stopping.abort();
  closeAtEnd(stop);
  return { status: response.status, headers: response.headers, events, isOver: () => isOver, stop } satisfies Listening;
}

function eventOf(block: string): StreamEvent {
  const lines = block.split('\n');
  const fields = lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trimStart()]);
  return {
    ...Object.fromEntries(fields.filter(([name]) => name !== '')),
    isComment: lines[0]?.startsWith(':') === true,
  };
}

/** The ids of the contacts of each head, in the order in which they came. */
export function headsOf({ events }: Pick<Listening, 'events'>): string[][] {
  return events
    .filter(({ event }) => event === 'head')
    .map(({ data = '{}' }) => JSON.parse(data).contacts.map(({ id }: { id: string }) => id));
}
