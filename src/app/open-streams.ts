import { Streams } from '../api/streams/streams.ts';
import type { ContactIndex } from '../index/contact-index.ts';
import type { Database } from '../mysql/database.ts';
import { readEpoch } from '../mysql/epoch.ts';
import { inBackground, type ProcessContext } from './run-process.ts';
import type { Stores } from './stores.ts';
import { StreamHints } from './stream-hints.ts';

export interface StreamedStores extends Pick<Stores, 'primary' | 'redis'> {
  /** The database that answers: the primary, or a replica. */
  readonly reading: Database;
  readonly kinds: readonly {
    readonly kind: { readonly name: string };
    readonly index: Pick<ContactIndex, 'nonces'>;
  }[];
}

/** The streams of the API. They are looked after until the process ends, which ends them. */
export function openStreams(context: ProcessContext, { primary, redis, reading, kinds }: StreamedStores): Streams {
  const { config, logger } = context;
  const hints = new StreamHints(redis, config);
  const streams = new Streams({
    nonces: async (kind, users) => (await kinds.find((of) => of.kind.name === kind)?.index.nonces(users)) ?? [],
    epoch: async () => (await readEpoch(primary)).token,
    isReplica: reading !== primary,
    findMs: config.requestTimeoutMs,
    most: config.openStreams,
    random: Math.random,
    now: () => performance.now(),
    onUser: hints.onUser,
    logger,
  });
  hints.start(context, streams);
  inBackground(context, (ending) => streams.run(ending));
  return streams;
}
