import type { Command } from 'commander';
import { action, defineCommand, defineGroup } from './define-command.ts';
import { UsageError } from './exit-code.ts';

export function addEpoch(program: Command): void {
  const epoch = defineGroup(program, {
    usage: 'epoch',
    summary: 'shows or replaces the epoch; indexes of an older epoch are not used',
    example: 'epoch show',
  });
  const show = defineCommand(epoch, {
    usage: 'show',
    summary: 'shows the epoch in force, when and why it began and, while it is suspended, what it waits for',
    example: 'epoch show',
  });
  action(show, async (output) => {
    const [{ withPrimary }, { readEpochState }] = await Promise.all([
      import('../app/stores.ts'),
      import('../mysql/losses.ts'),
    ]);
    const { epoch, suspended, losses } = await withPrimary(({ primary }) => readEpochState(primary));
    const { token, why, bumpedAt } = epoch;
    const since = new Date(bumpedAt).toISOString();
    const waitsFor = losses.map(({ place, end }) => ({ place, end }));
    const lines = [`${suspended ? 'Suspended' : token} since ${since}: ${why}`];
    if (suspended) lines.push('No index is used or built until the consumers have caught up:');
    lines.push(...waitsFor.map(({ place, end }) => `  ${place}: up to ${end ?? 'its end, which is not known yet'}`));
    await output.result({ epoch: token, why, since, suspended, waits_for: waitsFor }, lines.join('\n'));
  });

  const bump = defineCommand(epoch, {
    usage: 'bump',
    summary:
      'begins a new epoch, even while one is suspended: every index is cold at once, and is rebuilt when it is read or by backfill',
    example: 'epoch bump --why "MySQL was restored in place from the backup of Monday"',
  }).requiredOption('--why <text>', 'the reason, kept for `epoch show`');
  action<{ why: string }>(bump, async (output, { why }) => {
    if (why.trim() === '')
      throw new UsageError('--why must say something: `epoch show` shows it to those who ask why indexes are cold');
    const [{ withPrimary }, { bumpEpoch }] = await Promise.all([
      import('../app/stores.ts'),
      import('../index/epoch.ts'),
    ]);
    const token = await withPrimary(({ primary }) => bumpEpoch(primary, why));
    await output.result({ epoch: token, why }, `Epoch ${token}: every index is cold.`);
  });
}
