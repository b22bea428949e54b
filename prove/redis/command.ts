import type { Keyspace } from './keyspace.ts';
import type { Reply } from './reply.ts';

/** One command of Redis on a keyspace. @throws WrongType */
export type Command = (keyspace: Keyspace, args: readonly string[]) => Reply;

export class WrongType extends Error {
  constructor() {
    super('WRONGTYPE Operation against a key holding the wrong kind of value');
  }
}

/** The argument at this place. */
export function arg(args: readonly string[], place: number): string {
  const value = args[place];
  if (value === undefined) throw new Error(`a command of the model misses its argument ${place + 1}`);
  return value;
}
