import type { Command } from 'commander';
import { type CommandText, defineCommand, defineGroup } from './define-command.ts';
import { UsageError } from './exit-code.ts';

/** Gives a command that is already in the help its options and its work, or the commands below it. */
export type DefineTool = (command: Command) => void;

/** A command of src/tools. The product works without that folder, so its modules are loaded when the command is called. */
export interface ToolCommand extends CommandText {
  readonly isGroup?: true;
  readonly load: () => Promise<DefineTool>;
}

export const STACK: ToolCommand = {
  usage: 'stack',
  summary: 'local servers: MySQL or MariaDB, Redis, Kafka',
  example: 'stack up',
  isGroup: true,
  load: async () => (await import('../tools/devservers/command.ts')).defineStack,
};

export const IMPORT: ToolCommand = {
  usage: 'import',
  summary:
    'imports a temporal edge list (src dst unix_seconds, plain or .gz) into the reference schema; backfill afterwards',
  example: 'import CollegeMsg.txt.gz',
  load: async () => (await import('../tools/reference-site/command.ts')).defineImport,
};

export const DEMO: ToolCommand = {
  usage: 'demo',
  summary: 'the main job, end to end, on real servers: starts them, plays, verifies, and leaves nothing behind',
  example: 'demo --transport streams',
  load: async () => (await import('../tools/demo/command.ts')).defineDemo,
};

export const BENCH: ToolCommand = {
  usage: 'bench',
  summary: 'measures Recency and what one would use instead, in one run on the same servers, in turns',
  example: 'bench read --out bench/results',
  load: async () => (await import('../tools/bench/command.ts')).defineBench,
};

export const SIZE: ToolCommand = {
  usage: 'size',
  summary: 'what a site takes, on paper: memory, operations a second, processes; from what the benchmarks measured',
  example: 'size --users 10000000 --contacts-per-user 150 --uploads-per-day 0.5 --followers-per-uploader 400',
  load: async () => (await import('../tools/capacity/command.ts')).defineSize,
};

/**
 * Adds the command to the help, and when it is the one that is called everything about it.
 * @throws UsageError when this build has no tools
 */
export async function addTool(program: Command, tool: ToolCommand, isCalled: boolean): Promise<void> {
  const command = tool.isGroup ? defineGroup(program, tool) : defineCommand(program, tool);
  if (!isCalled) return;
  const define = await tool.load().catch((error: unknown) => {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError(`This build of Recency has no \`${tool.usage}\`: it was made without src/tools.`);
  });
  define(command);
}
