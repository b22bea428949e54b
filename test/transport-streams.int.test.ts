import { freshPrefix, redisUrl } from './support/servers.ts';
import { describeTransport } from './transport/conformance.ts';
import type { Transport } from './transport/place.ts';
import { describeTakeover } from './transport/takeover.ts';

const streams: Transport = {
  freshPlace: async () => ({ kind: 'streams', url: redisUrl(), stream: `${freshPrefix()}:{tasks}:stream` }),
  holdMs: 600,
  histories: 4,
};
describeTransport('Redis Streams', streams);
describeTakeover('Redis Streams', streams);
