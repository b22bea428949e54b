import { Argument, type Command } from 'commander';
import { type CommandText, defineCommand, defineGroup } from './define-command.ts';
import { UsageError } from './exit-code.ts';

/** Adds the options and the action, or the subcommands, to a command that is already in the help. */
type DefineTool = (command: Command) => void;

/** A command of src/tools. The product works without that folder, so it is loaded only when one of its commands is called. */
export interface ToolCommand extends CommandText {
  readonly isGroup?: true;
  /** Shown in the help of all commands. */
  readonly argument?: Argument;
  readonly load: () => Promise<DefineTool>;
}

export const STACK: ToolCommand = {
  usage: 'stack',
  summary: 'runs local servers for development: MySQL or MariaDB, Redis, Kafka',
  example: 'stack up',
  isGroup: true,
  load: async () => (await import('../tools/devservers/command.ts')).defineStack,
};

export const IMPORT: ToolCommand = {
  usage: 'import',
  summary:
    'imports a temporal edge list (lines of src dst unix_seconds, plain or .gz) into the reference schema; run backfill afterwards',
  example: 'import CollegeMsg.txt.gz',
  argument: new Argument('<file>', 'the first src → dst makes dst a contact of src, every line is a photo by src'),
  load: async () => (await import('../tools/reference-site/command.ts')).defineImport,
};

export const DEMO: ToolCommand = {
  usage: 'demo',
  summary:
    'demonstrates Recency end to end: starts real servers, simulates a site, verifies the indexes, removes everything',
  example: 'demo --transport streams',
  load: async () => (await import('../tools/demo/command.ts')).defineDemo,
};

/** Named here, so that the list costs no command the loading of the benchmarks. */
export const BENCHMARKS = [
  'read',
  'fanout',
  'tasks',
  'freshness',
  'memory',
  'backfill',
  'repair',
  'load',
  'overload',
  'epoch',
  'pages',
  'pays',
  'push',
  'celebrity',
  'capture',
  'history',
  'uploads',
  'idle',
  'denormalised',
];

export const BENCH: ToolCommand = {
  usage: 'bench',
  summary: 'measures Recency against its alternatives, in turns, on the same servers',
  example: 'bench read --out bench/results',
  argument: new Argument('[name]', 'one of the benchmarks; default: all, one after the other').choices(BENCHMARKS),
  load: async () => (await import('../tools/bench/command.ts')).defineBench,
};

export const SIZE: ToolCommand = {
  usage: 'size',
  summary: 'estimates what a site needs (memory, operations per second, processes) from the benchmark results',
  example: 'size --users 10000000 --contacts-per-user 150 --uploads-per-day 0.5 --followers-per-uploader 400',
  load: async () => (await import('../tools/capacity/command.ts')).defineSize,
};

/**
 * Adds a tool's command to the help, and its options and action when it is the command that is called.
 * @throws UsageError when this build has no tools
 */
export async function addTool(program: Command, tool: ToolCommand, isCalled: boolean): Promise<void> {
  const command = tool.isGroup ? defineGroup(program, tool) : defineCommand(program, tool);
  if (tool.argument) command.addArgument(tool.argument);
  if (!isCalled) return;
  const define = await tool.load().catch((error: unknown) => {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError(`This build of Recency has no \`${tool.usage}\`: it was built without src/tools.`);
  });
  define(command);
}
