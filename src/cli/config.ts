import type { Command } from 'commander';
import { action, defineCommand, defineGroup, interruptible } from './define-command.ts';

export function addConfig(program: Command): void {
  const config = defineGroup(program, {
    usage: 'config',
    summary: 'shows the settings, and changes those that all processes share',
    example: 'config print',
  });
  addPrint(config);
  addSet(config);
  addAdopt(config);
}

function addPrint(config: Command): void {
  const command = defineCommand(config, {
    usage: 'print',
    summary: 'shows the settings in force and where each comes from; secrets are hidden',
    example: 'config print --json',
  });
  action(command, async (output) => {
    const [{ describeConfig, readConfig }, { inForce }] = await Promise.all([
      import('../config/config.ts'),
      import('../app/shared-sizes.ts'),
    ]);
    const read = readConfig();
    const given = { config: read.config, signal: new AbortController().signal };
    const { config } = await inForce(given, 0).catch(() => {
      output.note('MySQL does not answer, so the sizes that all processes use (`recency config set`) are not known.');
      return given;
    });
    const own = describeConfig(read);
    const settings = describeConfig({ ...read, config }).map((row, i) =>
      row.value === own[i]?.value ? row : { ...row, origin: 'config set' },
    );
    await output.result({ settings }, () => table(settings));
  });
}

function addSet(config: Command): void {
  const command = defineCommand(config, {
    usage: 'set',
    summary: 'changes max, min, index_above or keep for all processes; each uses the new value once it is restarted',
    example: 'config set max 50',
  })
    .argument('<name>', 'max, min, index_above or keep')
    .argument('<value>', 'the new value');
  action<object, [name: string, value: string]>(command, async (output, _options, asked, text) => {
    const [{ setSize }, { withPrimary }] = await Promise.all([
      import('../app/shared-sizes.ts'),
      import('../app/stores.ts'),
    ]);
    const set = await withPrimary(({ primary }) => setSize(primary, asked, text));
    const { name, value, before } = set;
    const change = before === null ? value : `${before} → ${value}`;
    await output.result(
      set,
      before === value
        ? `${name} is ${value} already.`
        : `${name}: ${change}. Restart the processes, one after another: each uses it from then on.${forThoseThatExist(name)}`,
    );
  });
}

function addAdopt(config: Command): void {
  const command = defineCommand(config, {
    usage: 'adopt',
    summary:
      'makes the current settings those that all processes must share, and begins a new epoch if one has changed; stop every process first',
    example: 'config adopt',
  });
  action(command, async (output) => {
    const { adoptOwnSettings } = await import('../app/adopt-settings.ts');
    const adopted = await interruptible(adoptOwnSettings);
    const changes = adopted.changed.map(({ name, remembered, here }) => `${name}: ${remembered} → ${here}`);
    const text =
      changes.length === 0
        ? 'Nothing to adopt: these are the settings that all processes share.'
        : [...changes, `Adopted. Epoch ${adopted.epoch}: every index is cold.`].join('\n');
    await output.result(adopted, text);
  });
}

async function table(rows: readonly { name: string; value: string; origin: string; says: string }[]): Promise<string> {
  const { textTable } = await import('./output.ts');
  return textTable(
    ['setting', 'value', 'from', ''],
    rows.map(({ name, value, origin, says }) => [name, value, origin, says]),
  );
}

/** An index keeps the allowance that it was built with. */
function forThoseThatExist(name: string): string {
  return /_(KEEP|INDEX_ABOVE)$/.test(name)
    ? ' Then run `recency backfill`: it applies it to the indexes that exist.'
    : '';
}
