import { describe, expect, it } from 'vitest';
import { EVERYBODY } from '../../../src/index/drain-barrier.ts';
import { ConsumerGroup } from '../../../src/transport/streams/consumer-group.ts';
import { streamsBarrier, strictStreamsBarrier } from '../../../src/transport/streams/drain-barrier.ts';
import { freshPrefix } from '../../support/servers.ts';
import { freshRedis } from '../../support/stores.ts';
import { recordedStream } from '../../support/stream-record.ts';

describe('the strict barrier of Redis Streams', () => {
  async function freshStream() {
    const stream = `${freshPrefix()}:{tasks}:stream`;
    const client = await freshRedis();
    const view = new ConsumerGroup({ client, stream, group: 'g', consumer: 'c' });
    const recorded = recordedStream(client, stream);
    const location = { client, stream, group: 'g', view, recorded };
    const raise = strictStreamsBarrier(location);
    const read = async (count = 100) => {
      const entries = await view.read(client, count, 1);
      expect(await view.mark(entries, true)).toBe(true);
      return entries.map(([id]) => String(id));
    };
    const passed = async () => (await raise([EVERYBODY])).passed();
    const add = async (entries: number) => {
      for (let i = 0; i < entries; i++) await client.xadd(stream, '*', 'n', i);
    };
    return { client, stream, view, recorded, location, read, add, passed };
  }

  it('cannot be raised without a group; with one, it passes when nothing was added', async () => {
    const { view, passed } = await freshStream();
    await expect(passed()).rejects.toThrow('no consumer has created the group g');
    await view.create();
    expect(await passed()).toBe(true);
  });

  it.each([
    ['all of it', 0],
    ['a part', 1],
  ])(
    'is held by what was removed unread (%s), until the group has found that and read what is left',
    async (_what, left) => {
      const { client, stream, view, read, add, passed } = await freshStream();
      await view.create();
      await add(3);
      const first = await read(1);
      await client.xtrim(stream, 'MAXLEN', left);
      expect(await passed()).toBe(false);
      await view.acknowledge(first);
      expect(await passed()).toBe(false);
      expect((await view.state())?.removedUnread).toBe(2 - left);
      await view.accept();
      expect(await passed()).toBe(left === 0);
      if (left > 0) await view.acknowledge(await read());
      expect(await passed()).toBe(true);
      await add(1);
      expect(await passed()).toBe(false);
      await view.acknowledge(await read());
      expect(await passed()).toBe(true);
      expect((await view.state())?.removedUnread).toBe(0);
    },
  );

  type Stream = Awaited<ReturnType<typeof freshStream>>;
  it.each<[string, (stream: Stream) => Promise<unknown>]>([
    ['moves the group to the end', ({ client, stream }) => client.xgroup('SETID', stream, 'g', '$')],
    [
      'reads entries without having to acknowledge them',
      ({ client, stream }) => client.xreadgroup('GROUP', 'g', 'me', 'NOACK', 'STREAMS', stream, '>'),
    ],
    [
      'acknowledges entries that a consumer was given',
      async ({ client, stream, read }) => client.xack(stream, 'g', ...(await read())),
    ],
    [
      'deletes a consumer that was given entries',
      async ({ client, stream, read }) => {
        await read();
        await client.xgroup('DELCONSUMER', stream, 'g', 'c');
      },
    ],
    [
      'removes all entries',
      async ({ client, stream, add, read, view }) => {
        await client.xtrim(stream, 'MAXLEN', 0);
        await add(1);
        await view.acknowledge(await read());
      },
    ],
  ])('is held when somebody %s, until the group has found that', async (_what, interfere) => {
    const opened = await freshStream();
    const { view, read, add, passed } = opened;
    await view.create();
    await add(2);
    await view.acknowledge(await read());
    expect(await passed()).toBe(true);
    await add(3);
    await interfere(opened);
    expect(await passed()).toBe(false);
    await view.accept();
    expect(await passed()).toBe(true);
    await add(1);
    await view.acknowledge(await read());
    expect(await passed()).toBe(true);
  });

  it('is held, as the other barrier is, while the stream has less than is on record', async () => {
    const { client, stream, view, recorded, location, read, passed } = await freshStream();
    const passedToo = async () => (await streamsBarrier(location)([EVERYBODY])).passed();
    await view.create();
    await recorded.add([['n', '1']]);
    await view.acknowledge(await read());
    expect([await passed(), await passedToo()]).toEqual([true, true]);
    await client.del(stream);
    await view.create();
    expect([await passed(), await passedToo()]).toEqual([false, false]);
    await recorded.restart(await recorded.compare()); // as the consumers do, once they have reported it
    expect([await passed(), await passedToo()]).toEqual([true, true]);
  });
});
