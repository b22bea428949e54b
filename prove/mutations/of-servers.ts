import type { Mutation } from './mutation.ts';

const RECORD = 'mysql/server-record.ts';

/** The rules of servers, of what arrives by replication, and of positions. */
export const OF_SERVERS: readonly Mutation[] = [
  {
    rule: 'a server is put on record only when it has applied what it has received',
    instead: 'it is put on record at once',
    patches: [
      {
        file: RECORD,
        from: 'if (here.recorded !== here.proof) await mustHaveApplied(connection, here);',
        to: '',
      },
    ],
    part: 'g',
    try: ['a replica that is opened'],
  },
  {
    rule: 'rows of a server that the token does not name are of another epoch',
    instead: 'a server goes on with whatever epoch arrives from another one',
    patches: [
      {
        file: 'mysql/epoch.ts',
        from: 'if (onRecord !== undefined && onRecord !== proof) return',
        to: "if (onRecord === '') return",
      },
    ],
    part: 'g',
    try: ['a pair, and an epoch of the half that comes back'],
  },
  {
    rule: 'what another server has marked as published is published once more',
    instead: 'a row that is marked is done, whoever has marked it',
    patches: [
      {
        file: 'mysql/others-marks.ts',
        from: 'if (mark === proof || at === null || at === undefined) return [];',
        to: 'if (mark !== undefined || at === null || at === undefined) return [];',
      },
    ],
    part: 'g',
    try: ['a pair, half of which comes back'],
  },
  {
    rule: 'a position without the mark of a consumer is a loss',
    instead: 'a consumer goes on where the group stands, whoever has moved it',
    patches: [
      {
        file: 'transport/kafka/losses.ts',
        from: 'const moved = explainsForeign ? [] : own.filter(',
        to: 'const moved = explainsForeign || own.length > 0 ? [] : own.filter(',
      },
    ],
    part: 'g',
    try: ['a moved position'],
  },
  {
    rule: 'a position without the mark of a consumer holds every barrier',
    instead: 'what stands before it counts as done, although no consumer has found the loss yet',
    patches: [
      {
        file: 'transport/kafka/drain-barrier.ts',
        from: 'areBelieved || !isForeign',
        to: 'areBelieved || isForeign !== undefined || !isForeign',
      },
    ],
    part: 'g',
    try: ['a moved position'],
  },
];
