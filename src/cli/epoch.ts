import type { Command } from 'commander';
import { defineCommand, defineGroup, whenCalled } from './define-command.ts';

export function addEpoch(program: Command): void {
  const epoch = defineGroup(program, {
    usage: 'epoch',
    summary: 'the epoch: indexes of any other one are cold',
    example: 'epoch show',
  });
  const show = defineCommand(epoch, {
    usage: 'show',
    summary: 'shows the epoch in force, since when and why',
    example: 'epoch show',
  });
  whenCalled(show, async (output) => {
    const [{ withPrimary }, { readEpoch }] = await Promise.all([
      import('../start/with-primary.ts'),
      import('../mysql/epoch.ts'),
    ]);
    const { token, why, bumpedAt } = await withPrimary(({ primary }) => readEpoch(primary));
    const since = new Date(bumpedAt).toISOString();
    await output.result({ epoch: token, why, since }, `${token} since ${since}: ${why}`);
  });

  const bump = defineCommand(epoch, {
    usage: 'bump',
    summary: 'begins a new epoch: every index is cold at once, and is built anew when it is read or by backfill',
    example: 'epoch bump --why "MySQL was restored in place from the backup of Monday"',
  }).requiredOption('--why <text>', 'for whoever asks later');
  whenCalled<{ why: string }>(bump, async (output, { why }) => {
    const [{ withPrimary }, { bumpEpoch }] = await Promise.all([
      import('../start/with-primary.ts'),
      import('../index/epoch.ts'),
    ]);
    const token = await withPrimary(({ primary }) => bumpEpoch(primary, why));
    await output.result({ epoch: token, why }, `Epoch ${token}: every index is cold.`);
  });
}
