import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { UnrulyPublisher } from '../../../src/tools/demo/play/unruly-publisher.ts';
import { seededRandom } from '../../../src/tools/demo/random.ts';
import type { OutgoingTask, TaskPublisher } from '../../../src/transport/task-publisher.ts';

/** Keeps what is published, batch by batch; rejects while `away`. */
class Recorder implements TaskPublisher {
  readonly batches: OutgoingTask[][] = [];
  away = false;

  async checkRoom(): Promise<void> {}

  async publish(tasks: readonly OutgoingTask[]): Promise<void> {
    if (this.away) throw new Error('away');
    this.batches.push([...tasks]);
  }

  async close(): Promise<void> {}
}

const tasks = (count: number, from = 1): OutgoingTask[] =>
  Array.from({ length: count }, (_, i) => ({
    task: { type: 'recency.photo.uploaded', owner: String(from + i) },
    id: String(from + i),
    source: '/test',
    time: 1,
  }));

const idsOf = (published: readonly OutgoingTask[]): string[] => published.map(({ id }) => id);

async function sendAllHeld(publisher: UnrulyPublisher): Promise<void> {
  while (publisher.held > 0) await publisher.sendHeld();
}

describe('an unruly publisher', () => {
  test.prop([fc.integer(), fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 8 })])(
    'sends every task of a batch with that batch, and some a second time later',
    async (seed, sizes) => {
      const recorder = new Recorder();
      const publisher = new UnrulyPublisher(recorder, {
        random: seededRandom(seed),
        again: 0.5,
        isSpared: () => false,
      });
      let sent = 0;
      for (const size of sizes) {
        const batch = tasks(size, sent + 1);
        await publisher.publish(batch);
        expect(idsOf(recorder.batches.at(-1) ?? [])).toEqual(expect.arrayContaining(idsOf(batch)));
        sent += size;
      }
      await sendAllHeld(publisher);
      const times = new Map<string, number>();
      for (const id of idsOf(recorder.batches.flat())) times.set(id, (times.get(id) ?? 0) + 1);
      expect(times.size).toBe(sent);
      expect([...times.values()].every((count) => count <= 2)).toBe(true);
      expect(publisher.sent).toBe(recorder.batches.flat().length);
    },
  );

  test('changes the order, and sends about as many again as it is told', async () => {
    const recorder = new Recorder();
    const publisher = new UnrulyPublisher(recorder, { random: seededRandom(1), again: 0.1, isSpared: () => false });
    await publisher.publish(tasks(1_000));
    expect(idsOf(recorder.batches[0] ?? [])).not.toEqual(idsOf(tasks(1_000)));
    await sendAllHeld(publisher);
    expect(publisher.sent).toBeGreaterThan(1_060);
    expect(publisher.sent).toBeLessThan(1_140);
  });

  test('does not send again what is spared', async () => {
    const recorder = new Recorder();
    const publisher = new UnrulyPublisher(recorder, { random: seededRandom(1), again: 1, isSpared: () => true });
    await publisher.publish(tasks(10));
    expect(publisher.held).toBe(0);
  });

  test('keeps what it held when the transport is away', async () => {
    const recorder = new Recorder();
    const publisher = new UnrulyPublisher(recorder, { random: seededRandom(1), again: 1, isSpared: () => false });
    await publisher.publish(tasks(10));
    recorder.away = true;
    await expect(publisher.sendHeld()).rejects.toThrow('away');
    expect(publisher.held).toBe(10);
    recorder.away = false;
    await expect(publisher.publish(tasks(5, 11))).resolves.toBeUndefined();
  });
});
