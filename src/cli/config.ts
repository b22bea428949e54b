import type { Command } from 'commander';
import { defineCommand, defineGroup, whenCalled } from './define-command.ts';

export function addConfig(program: Command): void {
  const config = defineGroup(program, {
    usage: 'config',
    summary: 'shows the settings, and changes those that all processes share',
    example: 'config print',
  });
  const print = defineCommand(config, {
    usage: 'print',
    summary: 'shows the settings in force and where each comes from; secrets are hidden',
    example: 'config print --json',
  });
  whenCalled(print, async (output) => {
    const { describeConfig, readConfig } = await import('../config/config.ts');
    const rows = describeConfig(readConfig());
    if (output.json) for (const row of rows) await output.result(row, '');
    else await output.result(rows, () => table(rows));
  });

  const adopt = defineCommand(config, {
    usage: 'adopt',
    summary:
      'makes the current settings those that all processes must share, and begins a new epoch; stop every process first',
    example: 'config adopt',
  });
  whenCalled(adopt, async (output) => {
    const [{ adopt }, { withPrimary }] = await Promise.all([
      import('../app/shared-settings.ts'),
      import('../app/stores.ts'),
    ]);
    const adopted = await withPrimary(({ config, primary }) => adopt(primary, config));
    const { changed, epoch, suspended } = adopted;
    const changes = changed.map(({ name, remembered, here }) => `${name}: ${remembered} → ${here}`);
    const state = suspended
      ? 'The epoch stays suspended; `recency epoch show` says what it waits for.'
      : `Epoch ${epoch}: every index is cold.`;
    await output.result(adopted, [...changes, `Adopted. ${state}`].join('\n'));
  });
}

async function table(rows: readonly { name: string; value: string; origin: string; says: string }[]): Promise<string> {
  const { textTable } = await import('./text-table.ts');
  return textTable(
    ['setting', 'value', 'from', ''],
    rows.map(({ name, value, origin, says }) => [name, value, origin, says]),
  );
}
