import type { Command } from 'commander';
import { defineCommand, whenCalled } from '../../cli/define-command.ts';
import { EXIT, UsageError } from '../../cli/exit-code.ts';
import type { StackStatus } from './detached.ts';

export function defineStack(stack: Command): void {
  addUp(stack);
  addDown(stack);
  addStatus(stack);
}

function addUp(stack: Command): void {
  const command = defineCommand(stack, {
    usage: 'up',
    summary: 'starts them, and prints the settings that use them as lines for a shell',
    example: 'stack up > recency.env',
  }).option('--another', 'start a stack for this folder, also where one runs that was started for another');
  whenCalled<{ another?: boolean }>(command, async (output, { another = false }) => {
    const [{ exportLines, isHere, stackUp }, { idOf }] = await modules();
    const running = await stackUp({ another, log: (line) => output.note(line) });
    const { parts, missing, folder } = running;
    const [id, here] = [idOf(running), isHere(running)];
    if (!here) {
      output.note(
        `These were started for ${folder} and run already. \`recency stack up --another\` starts others here.`,
      );
    }
    for (const { reason } of missing) output.note(`Left out: ${reason}`);
    await output.result({ parts: parts.map(shown), missing, id, folder, here }, exportLines(running).join('\n'));
  });
}

function addDown(stack: Command): void {
  const command = defineCommand(stack, {
    usage: 'down',
    summary: 'ends them and removes their data',
    example: 'stack down --all',
  })
    .argument('[id]', 'of the stack, as `stack status` names it; without: the one that was started for this folder')
    .option('--all', 'every stack of this user');
  whenCalled<{ all?: boolean }, [id?: string]>(command, async (output, { all = false }, id) => {
    if (all && id !== undefined) throw new UsageError('an id, or --all, and not both');
    const [{ runningStacks, stackDown }, { idOf }] = await modules();
    const stacks = (await stackDown({ id, all })).map(({ folder, ...stack }) => ({ id: idOf(stack), folder }));
    const ended = stacks.length > 0;
    await output.result({ ended, stacks }, ended ? 'Ended, and their data removed.' : 'There was nothing to end.');
    if (ended) return;
    for (const other of runningStacks()) {
      output.note(`A stack that was started for ${other.folder} runs: \`recency stack down ${idOf(other)}\` ends it.`);
    }
    if (id !== undefined) output.exitCode = EXIT.failed;
  });
}

function addStatus(stack: Command): void {
  const command = defineCommand(stack, {
    usage: 'status',
    summary: 'shows what runs, in whatever folder it was started; exit 1 when something does not answer',
    example: 'stack status --json',
  });
  whenCalled(command, async (output) => {
    const [{ stackStatus }] = await modules();
    const stacks = await stackStatus();
    const views = stacks.map(({ parts, ...rest }) => ({
      ...rest,
      parts: parts.map((part) => ({ ...shown(part), answers: part.answers })),
    }));
    const own = views.find(({ here }) => here);
    const text =
      stacks.length === 0 ? 'Nothing was started. `recency stack up` starts it.' : stacks.flatMap(linesOf).join('\n');
    await output.result({ parts: own?.parts ?? [], stacks: views }, text);
    if (views.some(({ parts }) => parts.some(({ answers }) => !answers))) output.exitCode = EXIT.failed;
  });
}

function modules() {
  return Promise.all([import('./detached.ts'), import('./remembered.ts')]);
}

function linesOf({ id, folder, here, parts }: StackStatus): string[] {
  const lines = parts.map(({ answers, product, version, url, origin }) => {
    return `${product} ${version}: ${url} (${origin}), ${answers ? 'answers' : 'does not answer'}`;
  });
  return [`${id}, started for ${here ? 'this folder' : folder}:`, ...lines];
}

function shown({
  name,
  product,
  version,
  origin,
  url,
}: Record<'name' | 'product' | 'version' | 'origin' | 'url', string>) {
  return { name, product, version, origin, url };
}
