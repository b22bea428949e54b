import { existsSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Environment, SETTING } from './given.ts';
import { Guardian } from './guardian/guardian.ts';
import { isGuardian, ownerOf, removeRun } from './guardian/sweep.ts';
import { findDocker } from './launch/docker.ts';
import { probeByName } from './probe/by-name.ts';
import { forgetStack, idOf, type RememberedStack, recallAllStacks, recallStack, rememberStack } from './remembered.ts';
import type { LaunchedServer } from './server.ts';
import { gatherParts, type StackOptions } from './stack.ts';

/** Milliseconds that `stackDown` waits for the servers to end. */
const DOWN_TIMEOUT = 60_000;

/** Options of {@link stackUp}. */
export interface UpOptions extends StackOptions {
  /** Starts one for this folder, also where one runs that was started for another. */
  readonly another?: boolean;
}

/**
 * Starts all servers so that they outlive this process, or returns those that already run: this folder's, otherwise those that
 * were started for another one. Addresses in the environment are not used: whoever asks for local servers means these. Throws as
 * `startStack` does.
 */
export async function stackUp({ another = false, ...options }: UpOptions = {}): Promise<RememberedStack> {
  const remembered = recallStack();
  if (remembered !== undefined && isRunning(remembered)) return remembered;
  if (remembered !== undefined) await end(remembered);
  const [elsewhere] = another ? [] : runningStacks();
  return elsewhere ?? (await startDetached(options));
}

/** Those of this user that run, this folder's own first. */
export function runningStacks(): RememberedStack[] {
  const running = recallAllStacks().filter(isRunning);
  return running.sort((a, b) => Number(isHere(b)) - Number(isHere(a)) || a.folder.localeCompare(b.folder));
}

/** Was it started for the current folder? */
export function isHere({ folder }: Pick<RememberedStack, 'folder'>): boolean {
  return folder === process.cwd();
}

async function startDetached(options: StackOptions): Promise<RememberedStack> {
  const guardian = new Guardian();
  try {
    const environment = withoutGiven(options.environment ?? process.env);
    const { parts, missing } = await gatherParts(['mysql', 'redis', 'kafka'], guardian, { ...options, environment });
    const { pid: owner, dir } = guardian;
    const stack = { owner, dir, folder: process.cwd(), parts: parts as LaunchedServer[], missing };
    rememberStack(stack);
    await guardian.detach();
    return stack;
  } catch (error) {
    await guardian.end();
    throw error;
  }
}

function withoutGiven(environment: Environment): Environment {
  const settings = Object.values(SETTING).flatMap((name) => [name, `${name}_FILE`]);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !settings.includes(name)));
}

/** The settings that make Recency use the stack, as lines for a shell. */
export function exportLines(stack: Pick<RememberedStack, 'parts'>): string[] {
  return stack.parts.map(({ name, url }) => `export ${SETTING[name]}=${url}`);
}

/**
 * Ends servers that `stackUp` started and removes their data.
 * @param which those of this folder, those by this id, or all of this user
 * @returns the stacks that there were
 * @throws when all that can be ended has been: why one could not
 */
export async function stackDown(which: { id?: string | undefined; all?: boolean } = {}): Promise<RememberedStack[]> {
  const stacks = stacksMeant(which);
  const failures: unknown[] = [];
  for (const stack of stacks) await end(stack).catch((error: unknown) => failures.push(error));
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join('\n'));
  return stacks;
}

function stacksMeant({ id, all = false }: { id?: string | undefined; all?: boolean }): RememberedStack[] {
  const here = recallStack();
  if (!all && id === undefined) return here === undefined ? [] : [here];
  const known = [...recallAllStacks(), ...(here === undefined ? [] : [here])];
  const distinct = known.filter(({ dir }, i) => known.findIndex((other) => other.dir === dir) === i);
  return all ? distinct : distinct.filter((stack) => idOf(stack) === id);
}

async function end(stack: RememberedStack): Promise<void> {
  if (isRunning(stack)) await endOwner(stack);
  if (existsSync(stack.dir)) await removeLeftovers(stack);
  forgetStack(stack);
}

async function endOwner({ owner, dir }: RememberedStack): Promise<void> {
  try {
    process.kill(owner, 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // else it ended by itself just now
  }
  const deadline = performance.now() + DOWN_TIMEOUT;
  while (existsSync(dir) && isGuardian(owner)) {
    if (performance.now() > deadline)
      throw new Error(`the servers did not end in time; their owner is process ${owner}`);
    await sleep(20);
  }
}

/** Their owner was killed, or the machine was started anew. */
async function removeLeftovers({ dir, parts }: RememberedStack): Promise<void> {
  await removeRun(dir);
  const ids = parts.map(({ container }) => container).filter((id) => id !== undefined);
  if (ids.length === 0) return;
  const docker = await findDocker();
  if (typeof docker === 'string') throw new Error(`containers may be left over, but ${docker}`);
  const left = (await docker.client.container.list()).filter(({ Id }) => ids.includes(Id));
  for (const { Id } of left) await docker.client.container.getById(Id).remove({ force: true, v: true });
}

/** A server of the stack, and whether it answers now. */
export type PartStatus = LaunchedServer & { readonly answers: boolean };

/** A stack of this user. */
export interface StackStatus {
  readonly id: string;
  readonly folder: string;
  /** Was it started for the current folder? */
  readonly here: boolean;
  readonly parts: readonly PartStatus[];
}

/** What became of the servers that `stackUp` started, this folder's own first. */
export async function stackStatus(): Promise<readonly StackStatus[]> {
  const own = recallStack();
  const others = runningStacks().filter(({ dir }) => dir !== own?.dir);
  return Promise.all(
    [...(own === undefined ? [] : [own]), ...others].map(async (stack) => ({
      id: idOf(stack),
      folder: stack.folder,
      here: isHere(stack),
      parts: await Promise.all(stack.parts.map(async (part) => ({ ...part, answers: await answers(part) }))),
    })),
  );
}

async function answers({ name, url }: LaunchedServer): Promise<boolean> {
  try {
    await probeByName[name](url);
    return true;
  } catch {
    return false; // this is what was asked
  }
}

/** The process id alone could be another's by now, and what the folder says may have been true before the machine was started anew. */
const isRunning = ({ owner, dir }: RememberedStack): boolean => ownerOf(dir) === owner && isGuardian(owner);
