import type { Message } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { ChosenPartitions } from '../../../src/transport/kafka/chosen-partitions.ts';

const partitionMetadata = [0, 1, 2].map((partitionId) => ({
  ...{ partitionErrorCode: 0, partitionId, leader: 1, replicas: [1], isr: [1] },
}));

const taken = (partition: number) => ({ topicName: 't', partition, errorCode: 0 });

describe('the partition of a message without a key', () => {
  it('stays the same, however often it is asked for', () => {
    const partitions = new ChosenPartitions();
    const choose = partitions.partitioner();
    const messages: Message[] = Array.from({ length: 6 }, () => ({ value: 'x' }));
    const places = () => messages.map((message) => choose({ topic: 't', partitionMetadata, message }));
    const first = places();
    expect(new Set(first).size).toBe(3);
    expect([places(), places()]).toEqual([first, first]);
  });

  it('is unconfirmed until a broker has named it', () => {
    const partitions = new ChosenPartitions();
    const choose = partitions.partitioner();
    const message: Message = { value: 'x' };
    const partition = choose({ topic: 't', partitionMetadata, message });
    const other = (partition + 1) % 3;
    expect(partitions.unconfirmed([message], [taken(other)])).toBe(partition);
    expect(partitions.unconfirmed([message], [taken(other), taken(partition)])).toBeUndefined();
    expect(partitions.unconfirmed([{ value: 'never sent' }], [taken(0), taken(1), taken(2)])).toBeDefined();
  });
});
