import { once } from 'node:events';
import { connect } from 'node:net';
import { endpointOf } from '../given.ts';
import type { ServerName } from '../server.ts';
import { probeMysql } from './mysql.ts';
import { PROBE_TIMEOUT, type Probe } from './probe.ts';
import { probeRedis } from './redis.ts';

/** Asks the server at an address, the first one where there are several. Throws when it does not answer. */
export const probeByName: Readonly<Record<ServerName, (url: string) => Promise<Probe>>> = {
  mysql: probeMysql,
  redis: (url) => probeRedis((url.split(',')[0] ?? '').trim()),
  kafka: probePort,
};

/** A broker's version matters to nobody, and a whole Kafka client only to ask for it would be much. */
async function probePort(brokers: string): Promise<Probe> {
  const socket = connect({ ...endpointOf('kafka', brokers), timeout: PROBE_TIMEOUT });
  socket.once('timeout', () => socket.destroy(new Error(`no connection within ${PROBE_TIMEOUT} ms`)));
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
  return { product: 'Kafka', version: '', identity: '' };
}
