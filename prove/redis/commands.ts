import { type Command, WrongType } from './command.ts';
import { KEY_COMMANDS } from './key-commands.ts';
import type { Keyspace } from './keyspace.ts';
import { Failure, type Reply } from './reply.ts';
import { SORTED_SET_COMMANDS } from './sorted-set-commands.ts';

const COMMANDS: Readonly<Record<string, Command>> = { ...KEY_COMMANDS, ...SORTED_SET_COMMANDS };

/** Every command that is modelled. */
export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS);

/** Executes a command as Redis would. @throws Error for a command that is not modelled */
export function doCommand(keyspace: Keyspace, words: readonly string[]): Reply {
  const [name = '', ...args] = words;
  const command = COMMANDS[name.toUpperCase()];
  if (command === undefined) throw new Error(`the model of Redis has no command ${name}; add it to prove/redis`);
  try {
    return command(keyspace, args);
  } catch (error) {
    if (error instanceof WrongType) return new Failure(error.message);
    throw error;
  }
}
