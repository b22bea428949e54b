import { describe, it } from 'vitest';
import { kafkaBehindProxy } from '../../support/kafka-behind-proxy.ts';
import { int16, keyOf, replyTo } from '../../support/kafka-requests.ts';
import { freshName, hasKafka } from '../../support/servers.ts';
import { until } from '../../support/until.ts';
import { freshTasks } from '../outgoing-task.ts';
import { useConsumers } from '../use-consumers.ts';

/** https://kafka.apache.org/protocol#protocol_api_keys */
const JOIN_GROUP = 11;
const HEARTBEAT = 12;
/** https://kafka.apache.org/protocol#protocol_error_codes */
const COORDINATOR_LOADING = 14;
const NOT_COORDINATOR = 16;

/** In versions whose error_code comes first. */
const refusal = (request: Buffer, code: number, rest: Buffer) => replyTo(request, Buffer.concat([int16(code), rest]));

/** Does a member ask, and not a consumer that has never joined? */
function isMember(joinGroup: Buffer): boolean {
  const afterText = (at: number) => at + 2 + joinGroup.readInt16BE(at);
  const timeouts = afterText(afterText(12)); // behind the client's id and the group's
  return joinGroup.readInt16BE(timeouts + 8) > 0;
}

/** Of JoinGroup: no generation, three empty texts, no members. */
const NOTHING_JOINED = Buffer.alloc(4 + 3 * 2 + 4);

describe.runIf(hasKafka())('a consumer whose group gets another coordinator', () => {
  const { at, run } = useConsumers();

  it.each([
    ['the new one is loading', (request: Buffer) => refusal(request, COORDINATOR_LOADING, NOTHING_JOINED)],
    ['the connection to it breaks', () => null],
  ])('goes on after %s when it joins again', async (_what, refuse) => {
    const { proxy, address } = await kafkaBehindProxy();
    const opened = await at({ kind: 'kafka', brokers: [address], topic: freshName() });
    const { handled } = run(opened);
    await opened.publisher.publish(freshTasks(1));
    await until(() => handled.size === 1);

    // Meanwhile the members stay the same, and so does the generation.
    let refusals = 3;
    proxy.answer = (request) => {
      if (keyOf(request) === HEARTBEAT && refusals === 3) return refusal(request, NOT_COORDINATOR, Buffer.alloc(0));
      return keyOf(request) === JOIN_GROUP && refusals-- > 0 ? refuse(request) : undefined;
    };
    await until(() => refusals < 3);
    await opened.publisher.publish(freshTasks(1));
    await until(() => handled.size === 2);
  });

  it('joins as another member once the group no longer waits for it', async () => {
    const { proxy, address } = await kafkaBehindProxy();
    const opened = await at({ kind: 'kafka', brokers: [address], topic: freshName() });
    const { handled } = run(opened, undefined, { kafka: { rebalanceTimeoutMs: 1_000 } });
    await opened.publisher.publish(freshTasks(1));
    await until(() => handled.size === 1);

    let hasRejoined = false;
    proxy.answer = (request) => {
      if (keyOf(request) === HEARTBEAT && !hasRejoined) return refusal(request, NOT_COORDINATOR, Buffer.alloc(0));
      if (keyOf(request) !== JOIN_GROUP) return undefined;
      const isRefused = isMember(request) && !hasRejoined;
      hasRejoined ||= !isRefused;
      return isRefused ? refusal(request, COORDINATOR_LOADING, NOTHING_JOINED) : undefined;
    };
    await until(() => hasRejoined);
    await opened.publisher.publish(freshTasks(1));
    await until(() => handled.size === 2);
  });
});
