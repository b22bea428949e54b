import { type Command, Option } from 'commander';
import { time } from './arguments.ts';
import { defineCommand, whenCalled } from './define-command.ts';
import { UsageError } from './exit-code.ts';
import { interruptible } from './interrupt.ts';
import type { Output } from './output.ts';

interface RelayFlags {
  readonly republish?: boolean;
  readonly from?: number;
  readonly to?: number;
}

export function addRelay(program: Command): void {
  const command = defineCommand(program, {
    usage: 'relay',
    summary: 'publishes the rows of the outbox, until SIGTERM; any number may run',
    example: 'relay --republish --from 2026-01-31T12:00:00Z --to 2026-01-31T13:00:00Z',
  })
    .option('--republish', 'instead: make rows that were published in a stretch of time unpublished again, and end')
    .addOption(new Option('--from <time>', 'with --republish: when they were published').argParser(time))
    .addOption(new Option('--to <time>', 'with --republish: until when; now, if not given').argParser(time));
  whenCalled<RelayFlags>(command, async (output, flags) => {
    if (flags.republish) return await republish(output, flags);
    if (flags.from !== undefined || flags.to !== undefined)
      throw new UsageError('--from and --to go with --republish.');
    const [{ loadConfig }, { relay }] = await Promise.all([import('../config/config.ts'), import('../app/relay.ts')]);
    await relay(loadConfig());
  });
}

async function republish(output: Output, { from, to = Number.MAX_SAFE_INTEGER }: RelayFlags): Promise<void> {
  if (from === undefined) throw new UsageError('--republish needs --from, and takes --to.');
  if (from >= to) throw new UsageError('--from is not before --to: an empty stretch of time.');
  const [{ withPrimary }, { republish }] = await Promise.all([
    import('../app/stores.ts'),
    import('../relay/republish.ts'),
  ]);
  const rows = await interruptible((signal) =>
    withPrimary(({ primary }) => republish(primary, { from, to }, signal), signal),
  );
  await output.result({ republished: rows }, `${rows} rows are unpublished again; running relays publish them.`);
}
