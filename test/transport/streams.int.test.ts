import { freshPrefix, redisUrl } from '../support/servers.ts';
import { describeTransport } from './conformance.ts';
import type { Transport } from './place.ts';
import { describeTakeover } from './takeover.ts';

const streams: Transport = {
  freshPlace: async () => ({ kind: 'streams', url: redisUrl(), stream: `${freshPrefix()}:{tasks}:stream` }),
  holdMs: 600,
  histories: 4,
};
describeTransport('Redis Streams', streams);
describeTakeover('Redis Streams', streams);
