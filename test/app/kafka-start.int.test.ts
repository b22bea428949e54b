import { describe, expect, it } from 'vitest';
import { openTransport } from '../../src/app/transport.ts';
import { kafkaBehindProxy } from '../support/kafka-behind-proxy.ts';
import { openedProcess } from '../support/opened-process.ts';
import { hasKafka, withAdmin } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';

/** https://kafka.apache.org/protocol#protocol_api_keys */
const CREATE_TOPICS = 19;
/** https://kafka.apache.org/protocol#protocol_error_codes */
const REQUEST_TIMED_OUT = 7;

const isCreation = (sent: Buffer) => sent.readInt32BE(0) + 4 === sent.length && sent.readInt16BE(4) === CREATE_TOPICS;

/** Of one topic, in version 2 or 3: throttle_time_ms, then its name, the error and no message. */
function timedOut(request: Buffer): Buffer {
  const reply = Buffer.alloc(23);
  reply.writeInt32BE(reply.length - 4, 0);
  request.copy(reply, 4, 8, 12); // correlation id
  reply.writeInt32BE(1, 12);
  reply.writeInt16BE(1, 16);
  reply.write('t', 18);
  reply.writeInt16BE(REQUEST_TIMED_OUT, 19);
  reply.writeInt16BE(-1, 21);
  return reply;
}

describe.runIf(hasKafka())('a start', () => {
  it('goes on when Kafka has not created the topics in time', async () => {
    const { proxy, address } = await kafkaBehindProxy();
    const settings = { ...(await serviceSettings('kafka')), KAFKA_BROKERS: address };
    const opened = openedProcess(settings);
    const transport = openTransport(opened, 'test');
    let left = 2;
    proxy.answer = (request) => (isCreation(request) && left-- > 0 ? timedOut(request) : undefined);
    await transport.untilReady(new AbortController().signal);
    expect(left).toBeLessThan(0);
    expect(await withAdmin((admin) => admin.listTopics(), [address])).toContain(opened.config.topic);
  });
});
