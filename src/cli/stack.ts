import type { Command } from 'commander';
import { defineCommand, defineGroup, whenCalled } from './define-command.ts';
import { EXIT } from './exit-code.ts';

export function addStack(program: Command): void {
  const stack = defineGroup(program, {
    usage: 'stack',
    summary: 'local servers: MySQL or MariaDB, Redis, Kafka',
    example: 'stack up',
  });
  addUp(stack);
  addDown(stack);
  addStatus(stack);
}

function addUp(stack: Command): void {
  const command = defineCommand(stack, {
    usage: 'up',
    summary: 'starts them, and prints the settings that use them as lines for a shell',
    example: 'stack up > recency.env',
  });
  whenCalled(command, async (output) => {
    const { exportLines, stackUp } = await import('../stack/detached.ts');
    const { parts, missing } = await stackUp({ log: (line) => output.note(line) });
    const lines = exportLines({ parts });
    for (const { reason } of missing) output.note(`Left out: ${reason}`);
    await output.result({ parts: parts.map(shown), missing }, lines.join('\n'));
  });
}

function addDown(stack: Command): void {
  const command = defineCommand(stack, {
    usage: 'down',
    summary: 'ends them and removes their data',
    example: 'stack down',
  });
  whenCalled(command, async (output) => {
    const { stackDown } = await import('../stack/detached.ts');
    const ended = await stackDown();
    await output.result({ ended }, ended ? 'Ended, and their data removed.' : 'There was nothing to end.');
  });
}

function addStatus(stack: Command): void {
  const command = defineCommand(stack, {
    usage: 'status',
    summary: 'shows what runs; exit 1 when something does not answer',
    example: 'stack status --json',
  });
  whenCalled(command, async (output) => {
    const { stackStatus } = await import('../stack/detached.ts');
    const parts = (await stackStatus()) ?? [];
    const lines = parts.map(({ answers, ...part }) => {
      return `${part.product} ${part.version}: ${part.url} (${part.origin}), ${answers ? 'answers' : 'does not answer'}`;
    });
    const text = parts.length === 0 ? 'Nothing was started. `recency stack up` starts it.' : lines.join('\n');
    await output.result({ parts: parts.map((part) => ({ ...shown(part), answers: part.answers })) }, text);
    if (parts.some(({ answers }) => !answers)) output.exitCode = EXIT.failed;
  });
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
