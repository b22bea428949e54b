import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { ConsumerGroup } from '../../../src/transport/streams/consumer-group.ts';
import { LossCheck } from '../../../src/transport/streams/loss-check.ts';
import { RecordedStream, StreamNotOnRecord } from '../../../src/transport/streams/recorded-stream.ts';
import { streamKeys } from '../../../src/transport/streams/stream-scripts.ts';
import { closeAtEnd, freshPrefix, redisUrl } from '../../support/servers.ts';
import { recordedStream, recordInRedis } from '../../support/stream-record.ts';

describe('a check of a stream finds a loss', () => {
  const redis = new Redis(redisUrl());
  closeAtEnd(() => redis.disconnect());
  const history = { hasStarted: async () => true, recordStart: async () => undefined };

  function fresh() {
    const stream = `${freshPrefix()}:{tasks}:stream`;
    return { stream, group: new ConsumerGroup({ client: redis, stream, group: 'g', consumer: 'c' }) };
  }

  it('when the stream is deleted during a check, and only once', async () => {
    const { stream, group } = fresh();
    const recorded = recordedStream(redis, stream);
    let checks = 0;
    const compare = async () => {
      if (checks++ === 1) await redis.del(stream);
      return await recorded.compare();
    };
    const checked = { compare, keepUp: recorded.keepUp.bind(recorded), restart: recorded.restart.bind(recorded) };
    const losses = new LossCheck({ group, stream, recorded: checked, history, expectsOffsets: async () => true });
    const found: string[] = [];
    await group.create();
    await recorded.add([
      ['n', '1'],
      ['n', '2'],
    ]);
    losses.saw(String((await group.read(redis, 2, 1)).at(-1)?.[0]));
    for (let i = 0; i < 4; i++) await losses.run(async ({ detail }) => void found.push(detail));
    expect(found).toEqual([
      expect.stringMatching(/2 entries up to \d+-\d+ were published to it; it has had 0 up to 0-0/),
    ]);
  });

  it('when tasks were published elsewhere, and again at once if more are while that is reported', async () => {
    const { stream, group } = fresh();
    const record = recordInRedis(redis, stream);
    const [recorded, elsewhere] = [stream, `${stream}:elsewhere`].map(
      (one) => new RecordedStream({ client: redis, stream: one, record }),
    ) as [RecordedStream, RecordedStream];
    const losses = new LossCheck({ group, stream, recorded, history, expectsOffsets: async () => true });
    await elsewhere.add([['n', '1']]);
    const found: string[] = [];
    await losses.run(async ({ detail }) => {
      if (found.push(detail) === 1) await elsewhere.add([['n', '2']]);
    });
    expect(found).toEqual([1, 2].map((n) => expect.stringMatching(`: ${n} entries up to .* it is another stream`)));
    expect(await recorded.isSame()).toBe(true);
    await expect(elsewhere.add([['n', '3']])).rejects.toThrow(StreamNotOnRecord);
  });

  it('when more was removed by us than is missing: the notes are of another stream', async () => {
    const { stream, group } = fresh();
    await group.create();
    const [, notes] = streamKeys(stream);
    const known = JSON.parse((await redis.get(notes)) ?? '');
    expect(await group.state()).toMatchObject({ isMoved: false, isForeign: false });
    await redis.set(notes, JSON.stringify({ ...known, trimmed: 1 }));
    expect(await group.state()).toMatchObject({ isMoved: true, isForeign: true });
    await group.accept();
    expect(await group.state()).toMatchObject({ isMoved: false, isForeign: false });
  });
});
