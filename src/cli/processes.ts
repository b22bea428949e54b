import { type Command, Option } from 'commander';
import type { Lanes } from '../app/consume.ts';
import type { Times } from '../app/run-process.ts';
import { counting } from '../health/finding.ts';
import { time, whole } from './arguments.ts';
import { action, defineCommand, interruptible } from './define-command.ts';
import { UsageError } from './exit-code.ts';
import type { Output } from './output.ts';

/** More would only share what they all wait for. */
const MOST_WORKERS = 64;

export function addServe(program: Command, times: Partial<Times>): void {
  const command = defineCommand(program, {
    usage: 'serve',
    summary: 'runs the HTTP API until SIGTERM; logs to stdout, one JSON object per line',
    example: 'serve --workers 4',
  }).addOption(
    new Option('--workers <n>', 'processes that answer on one port, each with its own connections to the stores')
      .argParser(whole(1, MOST_WORKERS))
      .default(1),
  );
  action<{ readonly workers: number }>(command, async (_output, { workers }) => {
    const [{ loadConfig }, { serveWith }] = await Promise.all([
      import('../config/config.ts'),
      import('../app/serve-workers.ts'),
    ]);
    const config = loadConfig();
    await serveWith(workers, config, async () => {
      const { serve } = await import('../app/serve.ts');
      await serve(config, times);
    });
  });
}

export function addConsume(program: Command, times: Partial<Times>): void {
  const command = defineCommand(program, {
    usage: 'consume',
    summary:
      'applies tasks to the indexes until SIGTERM; run as many as you need; logs to stdout, one JSON object per line',
    example: 'consume',
  }).addOption(
    new Option('--lanes <lanes>', 'small: all tasks but large audiences; bulk: only these; both')
      .choices(['small', 'bulk', 'both'])
      .default('both'),
  );
  action<{ readonly lanes: Lanes }>(command, async (_output, { lanes }) => {
    const [{ loadConfig }, { consume }] = await Promise.all([
      import('../config/config.ts'),
      import('../app/consume.ts'),
    ]);
    await consume(loadConfig(), lanes, times);
  });
}

interface RelayFlags {
  readonly republish?: boolean;
  readonly from?: number;
  readonly to?: number;
}

export function addRelay(program: Command): void {
  const command = defineCommand(program, {
    usage: 'relay',
    summary: 'publishes the rows of the outbox until SIGTERM; run as many as you need',
    example: 'relay --republish --from 2026-01-31T12:00:00Z --to 2026-01-31T13:00:00Z',
  })
    .option('--republish', 'mark the rows published in a time range as unpublished, then exit')
    .addOption(new Option('--from <time>', 'with --republish: start of the time range').argParser(time))
    .addOption(new Option('--to <time>', 'with --republish: end of the time range (default: now)').argParser(time));
  action<RelayFlags>(command, async (output, flags) => {
    if (flags.republish) return await republish(output, flags);
    if (flags.from !== undefined || flags.to !== undefined) {
      throw new UsageError('--from and --to are only for --republish.');
    }
    const [{ loadConfig }, { relay }] = await Promise.all([import('../config/config.ts'), import('../app/relay.ts')]);
    await relay(loadConfig());
  });
}

async function republish(output: Output, { from, to = Number.MAX_SAFE_INTEGER }: RelayFlags): Promise<void> {
  if (from === undefined) throw new UsageError('--republish needs --from; --to is optional.');
  if (from >= to) throw new UsageError('--from must be before --to: this is an empty time range.');
  const [{ withPrimary }, { republish }] = await Promise.all([import('../app/stores.ts'), import('../relay/relay.ts')]);
  const rows = await interruptible((signal) =>
    withPrimary(({ primary }) => republish(primary, { from, to }, signal), signal),
  );
  await output.result(
    { republished: rows },
    `${counting(rows, 'row')} unpublished again; running relays publish them.`,
  );
}
