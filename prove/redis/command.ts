import type { Keyspace } from './keyspace.ts';
import type { Reply } from './reply.ts';

/** A Redis command on a keyspace. @throws WrongType */
export type Command = (keyspace: Keyspace, args: readonly string[]) => Reply;

export class WrongType extends Error {
  constructor() {
    super('WRONGTYPE Operation against a key holding the wrong kind of value');
  }
}

/** Options that the model lacks must fail, not be ignored. */
export function expectNone(command: string, unknown: readonly string[]): void {
  if (unknown.length > 0)
    throw new Error(`the model of ${command} does not know ${unknown.join(' ')}; add it to prove/redis`);
}

/** A finite number. */
export function numberOf(command: string, text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) expectNone(command, [text]);
  return number;
}

/** The argument at this place. */
export function arg(args: readonly string[], place: number): string {
  const value = args[place];
  if (value === undefined) throw new Error(`a command of the model misses its argument ${place + 1}`);
  return value;
}
