import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { openKafkaTransport } from './kafka-transport.ts';
import { openStreamsTransport } from './streams-transport.ts';
import type { Transport, WatchOptions } from './transport.ts';

export interface TransportOpening {
  readonly config: Config;
  readonly logger: Logger;
  /** Closes it. */
  readonly resources: AsyncDisposableStack;
}

/** The transport that the settings name. Does not wait for it. @param name of the process, for the servers' own lists */
export function openTransport({ config, logger, resources }: TransportOpening, name: string): Transport {
  const open = config.transport === 'kafka' ? openKafkaTransport : openStreamsTransport;
  return resources.adopt(open(config, name, logger), (transport) => transport.close());
}

/**
 * Watches the servers of the transport until the context ends, where no other watch does.
 * @throws RedisUnavailable, DatabaseUnavailable, EpochMissing
 */
export async function watchTransport(
  { resources }: Pick<TransportOpening, 'resources'>,
  transport: Transport,
  options: WatchOptions,
): Promise<void> {
  const watch = transport.openWatch?.(options);
  if (watch === undefined) return;
  resources.defer(() => watch.stop());
  await watch.start();
}
