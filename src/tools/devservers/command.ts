import type { Command } from 'commander';
import { action, defineCommand } from '../../cli/define-command.ts';
import { EXIT, UsageError } from '../../cli/exit-code.ts';
import type { DetachedStatus } from './detached.ts';
import type { ServerFacts } from './server.ts';

export function defineStack(stack: Command): void {
  addUp(stack);
  addDown(stack);
  addStatus(stack);
}

function addUp(stack: Command): void {
  const command = defineCommand(stack, {
    usage: 'up',
    summary: 'starts local servers for this folder, and prints the settings that use them as lines for a shell',
    example: 'stack up > recency.env',
  }).option('--install', 'install missing server programs with apt-get (Debian and Ubuntu, as root)');
  action<{ install?: boolean }>(command, async (output, { install = false }) => {
    const [{ bringUp, exportLines }, { idOf }] = await modules();
    const running = await bringUp({ install, log: (line) => output.note(line) });
    const { parts, missing, folder } = running;
    for (const { reason } of missing) output.note(`Left out: ${reason}`);
    await output.result(
      { parts: parts.map(shown), missing, id: idOf(running), folder },
      exportLines(running).join('\n'),
    );
  });
}

function addDown(stack: Command): void {
  const command = defineCommand(stack, {
    usage: 'down',
    summary: 'ends local servers and removes their data',
    example: 'stack down --all',
  })
    .argument('[id]', 'as `stack status` shows it; default: the servers that were started for this folder')
    .option('--all', 'end all of this user’s servers, whatever folder they were started for');
  action<{ all?: boolean }, [id?: string]>(command, async (output, { all = false }, id) => {
    if (all && id !== undefined) throw new UsageError('Give an id or --all, not both.');
    const [{ runningServers, takeDown }, { idOf }] = await modules();
    const stacks = (await takeDown({ id, all })).map(({ folder, ...servers }) => ({ id: idOf(servers), folder }));
    const ended = stacks.length > 0;
    const nothing = id === undefined ? 'There was nothing to end.' : `No servers have the id ${id}.`;
    await output.result({ ended, stacks }, ended ? 'Ended, and their data removed.' : nothing);
    if (ended) return;
    for (const other of runningServers()) {
      output.note(`Servers started for ${other.folder} still run: \`recency stack down ${idOf(other)}\` ends them.`);
    }
    if (id !== undefined) output.exitCode = EXIT.failed;
  });
}

function addStatus(stack: Command): void {
  const command = defineCommand(stack, {
    usage: 'status',
    summary: 'shows the local servers of every folder; exit code 1 if one does not answer',
    example: 'stack status --json',
  });
  action(command, async (output) => {
    const [{ detachedStatus }] = await modules();
    const stacks = await detachedStatus();
    const views = stacks.map(({ parts, ...rest }) => ({
      ...rest,
      parts: parts.map((part) => ({ ...shown(part), answers: part.answers })),
    }));
    const own = views.find(({ here }) => here);
    const text =
      stacks.length === 0 ? 'No servers run. `recency stack up` starts some.' : stacks.flatMap(linesOf).join('\n');
    await output.result({ parts: own?.parts ?? [], stacks: views }, text);
    if (views.some(({ parts }) => parts.some(({ answers }) => !answers))) output.exitCode = EXIT.failed;
  });
}

function modules() {
  return Promise.all([import('./detached.ts'), import('./remembered.ts')]);
}

function linesOf({ id, folder, here, parts }: DetachedStatus): string[] {
  const lines = parts.map(({ answers, product, version, url, origin }) => {
    return `${product} ${version}: ${url} (${origin}), ${answers ? 'answers' : 'does not answer'}`;
  });
  return [`${id}, started for ${here ? 'this folder' : folder}:`, ...lines];
}

function shown({ name, product, version, origin, url }: ServerFacts) {
  return { name, product, version, origin, url };
}
