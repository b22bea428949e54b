import { existsSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Environment, SETTING } from './given.ts';
import { Guardian } from './guardian/guardian.ts';
import { isAlive, ownerOf, removeRun } from './guardian/sweep.ts';
import { findDocker } from './launch/docker.ts';
import { probeByName } from './probe/by-name.ts';
import { forgetStack, type RememberedStack, recallStack, rememberStack } from './remembered.ts';
import type { LaunchedServer } from './server.ts';
import { gatherParts, type StackOptions } from './stack.ts';

/** Milliseconds that `stackDown` waits for the servers to end. */
const DOWN_TIMEOUT = 60_000;

/**
 * Starts all servers so that they outlive this process, or returns those that already run. Addresses in the
 * environment are not used: whoever asks for local servers means these. Throws as `startStack` does.
 */
export async function stackUp(options: StackOptions = {}): Promise<RememberedStack> {
  const remembered = recallStack();
  if (remembered !== undefined && isRunning(remembered)) return remembered;
  if (remembered !== undefined) await stackDown();
  const guardian = new Guardian();
  try {
    const environment = withoutGiven(options.environment ?? process.env);
    const { parts, missing } = await gatherParts(['mysql', 'redis', 'kafka'], guardian, { ...options, environment });
    const stack = { owner: guardian.pid, dir: guardian.dir, parts: parts as LaunchedServer[], missing };
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

/** Ends the servers that `stackUp` started and removes their data. Returns whether there were any. */
export async function stackDown(): Promise<boolean> {
  const stack = recallStack();
  if (stack === undefined) return false;
  if (isRunning(stack)) await endOwner(stack);
  if (existsSync(stack.dir)) await removeLeftovers(stack);
  forgetStack();
  return true;
}

async function endOwner({ owner, dir }: RememberedStack): Promise<void> {
  process.kill(owner, 'SIGTERM');
  const deadline = performance.now() + DOWN_TIMEOUT;
  while (existsSync(dir) && isAlive(owner)) {
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

/** What became of the servers that `stackUp` started; undefined when there are none. */
export async function stackStatus(): Promise<readonly PartStatus[] | undefined> {
  const parts = recallStack()?.parts;
  if (parts === undefined) return undefined;
  return Promise.all(parts.map(async (part) => ({ ...part, answers: await answers(part) })));
}

async function answers({ name, url }: LaunchedServer): Promise<boolean> {
  try {
    await probeByName[name](url);
    return true;
  } catch {
    return false; // this is what was asked
  }
}

/** The process id alone could be another's by now. */
const isRunning = ({ owner, dir }: RememberedStack): boolean => ownerOf(dir) === owner && isAlive(owner);
