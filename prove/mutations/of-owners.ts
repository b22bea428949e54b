import type { Mutation } from './mutation.ts';

const ON_RECORD = 'index/on-record.ts';

/** The rules of whose the indexes are. */
export const OF_OWNERS: readonly Mutation[] = [
  {
    rule: 'what was written counts only if the indexes belonged to this MySQL before',
    instead: 'it counts if they do in the end',
    patches: [{ file: ON_RECORD, from: 'if (wasUnchanged && isOneServer &&', to: 'if (isOneServer &&' }],
    part: 'j',
  },
  {
    rule: 'what was written counts only if the indexes belong to this MySQL afterwards',
    instead: 'it counts if they did when it began',
    patches: [{ file: ON_RECORD, from: ' || !(await isSame())) await', to: ') await' }],
    part: 'j',
  },
  {
    rule: 'what was written counts only if one MySQL server answered throughout',
    instead: 'it counts if the one on record answers in the end',
    patches: [{ file: ON_RECORD, from: 'if (wasUnchanged && isOneServer &&', to: 'if (wasUnchanged &&' }],
    part: 'j',
  },
  {
    rule: 'another ownership of the indexes begins an epoch',
    instead: 'it is written down, and the epoch goes on',
    patches: [
      {
        file: 'mysql/redis-masters.ts',
        from: "if (others.length === 0 && belonged === 'known')",
        to: 'if (others.length === 0)',
      },
    ],
    part: 'j',
  },
  {
    rule: 'an ownership has an id that none had before',
    instead: 'it has the id of its server',
    patches: [
      {
        file: 'index/ownership.ts',
        from: 'id: options.freshId(), epoch',
        to: 'id: epoch.slice(0, 8), epoch',
      },
    ],
    part: 'j',
  },
  {
    rule: 'an ownership comes on record only on the server that it was claimed for',
    instead: 'it does on whichever server answers by then',
    patches: [
      {
        file: 'mysql/redis-masters.ts',
        from: '|| serverOn(ownership.epoch) === serverOn(token);',
        to: "|| token !== '';",
      },
    ],
    part: 'j',
  },
  {
    rule: 'a Redis that was set back gets another id for its indexes',
    instead: 'it keeps the one that it had',
    patches: [{ file: 'index/ownership.ts', from: '{ ...before, id: freshId() }', to: '{ ...before }' }],
    part: 'j',
    try: ['keys that are set back'],
  },
];
