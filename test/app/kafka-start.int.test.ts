import { describe, expect, it } from 'vitest';
import { openTransport } from '../../src/app/transport.ts';
import { kafkaBehindProxy } from '../support/kafka-behind-proxy.ts';
import { CREATE_TOPICS, int16, int32, keyOf, replyTo } from '../support/kafka-requests.ts';
import { openedProcess } from '../support/opened-process.ts';
import { hasKafka, withAdmin } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';

/** https://kafka.apache.org/protocol#protocol_error_codes */
const REQUEST_TIMED_OUT = 7;

/** Of one topic, in version 2 or 3: its name, the error and no message. */
const timedOut = (request: Buffer) =>
  replyTo(request, Buffer.concat([int32(1), int16(1), Buffer.from('t'), int16(REQUEST_TIMED_OUT), int16(-1)]));

describe.runIf(hasKafka())('a start', () => {
  it('goes on when Kafka has not created the topics in time', async () => {
    const { proxy, address } = await kafkaBehindProxy();
    const settings = { ...(await serviceSettings('kafka')), KAFKA_BROKERS: address };
    const opened = openedProcess(settings);
    const transport = openTransport(opened, 'test');
    let left = 2;
    proxy.answer = (request) => (keyOf(request) === CREATE_TOPICS && left-- > 0 ? timedOut(request) : undefined);
    await transport.untilReady(new AbortController().signal);
    expect(left).toBeLessThan(0);
    expect(await withAdmin((admin) => admin.listTopics(), [address])).toContain(opened.config.topic);
  });
});
