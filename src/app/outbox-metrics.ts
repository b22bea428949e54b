import { Counter, Gauge, type Registry } from 'prom-client';
import type { Database } from '../mysql/database.ts';
import { type OutboxLag, readOutboxLag } from '../mysql/outbox.ts';
import type { RelayCounts } from '../relay/relay.ts';
import type { StreamFill } from '../transport/streams/publisher.ts';
import type { Transport } from './transport.ts';

/** The lag is looked up at every scrape: an unpublished row is an answer about to be wrong. */
export function measureOutboxLag(registry: Registry, database: Database): void {
  const lag = shared(() => readOutboxLag(database));
  const gauge = (name: string, help: string, of: (lag: OutboxLag) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await lag().then(of, () => Number.NaN)); // MySQL is away: unknown, and not 0
      },
    });
  gauge('recency_outbox_unpublished_rows', 'Rows that wait to be published, counted up to 10,000.', ({ rows }) => rows);
  gauge('recency_outbox_lag_seconds', 'Age of the oldest unpublished row.', ({ oldestMs }) => oldestMs / 1000);
}

/** How full the transport is, where it has a bound: above it the relay waits. Looked up at every scrape. */
export function measureFill(registry: Registry, transport: Pick<Transport, 'fill'>): void {
  const fill = transport.fill && shared(transport.fill);
  if (fill === undefined) return;
  const gauge = (name: string, help: string, of: (fill: StreamFill) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await fill().then(of, () => Number.NaN)); // Redis is away: unknown, and not 0
      },
    });
  gauge('recency_stream_entries', 'Tasks on the stream, acknowledged or not.', ({ entries }) => entries);
  gauge(
    'recency_stream_max_entries',
    'Tasks that the stream may hold; from there on the relay waits.',
    ({ max }) => max,
  );
}

/** Dead letters that were removed, unseen perhaps, because there were too many. */
export function droppedLettersCounter(registry: Registry): (letters: number) => void {
  const dropped = new Counter({
    name: 'recency_dead_letters_dropped_total',
    help: 'Dead letters removed because there were more than DEAD_LETTERS_MAX.',
    registers: [registry],
  });
  return (letters) => dropped.inc(letters);
}

/** Those who ask at once share one answer. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | undefined;
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
}

export function relayCounters(registry: Registry): (counts: RelayCounts) => void {
  const rows = new Counter({
    name: 'recency_outbox_rows_total',
    help: 'Rows of the outbox taken care of, by what became of them. One that is put back is counted each time.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return ({ published, deadLetters, putBack, refused }) => {
    rows.inc({ outcome: 'published' }, published);
    rows.inc({ outcome: 'dead_letter' }, deadLetters);
    rows.inc({ outcome: 'put_back' }, putBack);
    rows.inc({ outcome: 'refused' }, refused);
  };
}
