import type { Command } from 'commander';
import { id } from './arguments.ts';
import { defineCommand, whenCalled } from './define-command.ts';
import { interruptible } from './interrupt.ts';

export function addForget(program: Command): void {
  const command = defineCommand(program, {
    usage: 'forget',
    summary: 'drops what Recency holds of a user: the index and pending work; MySQL is not changed',
    example: 'forget 42',
  }).argument('<user>', 'who is forgotten', id);
  whenCalled<object, [user: string]>(command, async (output, _options, user) => {
    const { withStores } = await import('../app/stores.ts');
    await interruptible((signal) =>
      withStores({ name: 'forget' }, signal, ({ stores }) => stores.steps.forget([user])),
    );
    await output.result({ forgotten: user }, `Recency holds nothing of user ${user} any more.`);
  });
}
