import type { Mutation } from './mutation.ts';

const ON_RECORD = 'index/on-record.ts';

/** The rules of two Redis masters. */
export const OF_MASTERS: readonly Mutation[] = [
  {
    rule: 'an index counts only in the epoch in which its Redis is on record',
    instead: 'it counts in any epoch, once its Redis has been compared',
    patches: [
      { file: 'index/trusted-reads.ts', from: '|| reading.epoch === epoch) return', to: "|| epoch !== '') return" },
    ],
    part: 'i',
  },
  {
    rule: 'an index counts only if its master has been compared since it was promoted',
    instead: 'it counts if the connection is the same',
    patches: [
      {
        file: 'index/trusted-reads.ts',
        from: 'replicationIds.includes(replicationId) ?? true',
        to: 'replicationIds.includes(replicationId) || true',
      },
    ],
    part: 'i',
  },
  {
    rule: 'what was written counts only if Redis has been on record since',
    instead: 'it counts if Redis was on record when it was compared last',
    patches: [{ file: ON_RECORD, from: '(await epochSince(begunAt)) !== known()?.epoch', to: 'false' }],
    part: 'i',
  },
  {
    rule: 'what was written counts only if Redis was the same throughout',
    instead: 'it counts if Redis is on record in the end',
    patches: [{ file: ON_RECORD, from: 'after.connection === before?.connection &&', to: '' }],
    part: 'i',
  },
  {
    rule: 'masters that come on record begin an epoch',
    instead: 'they are written down, and the epoch goes on',
    patches: [
      {
        file: 'mysql/redis-masters.ts',
        from: "if ((await bump(connection, { ...next, why })) === 'suspended') return 'suspended';",
        to: '',
      },
    ],
    part: 'i',
  },
];
