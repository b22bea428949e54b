import { type Command, Option } from 'commander';
import type { Lanes } from '../app/consume.ts';
import { time, whole } from './arguments.ts';
import { defineCommand, whenCalled } from './define-command.ts';
import { UsageError } from './exit-code.ts';
import { interruptible } from './interrupt.ts';
import type { Output } from './output.ts';

/** More would only share what they all wait for. */
const MOST_WORKERS = 64;

export function addServe(program: Command): void {
  const command = defineCommand(program, {
    usage: 'serve',
    summary: 'runs the HTTP API until SIGTERM; logs to stdout, one JSON object per line',
    example: 'serve --workers 4',
  }).addOption(
    new Option('--workers <n>', 'processes that answer on one port, each with its own connections to the stores')
      .argParser(whole(1, MOST_WORKERS))
      .default(1),
  );
  whenCalled<{ readonly workers: number }>(command, async (_output, { workers }) => {
    const [{ loadConfig }, { serveWith }] = await Promise.all([
      import('../config/config.ts'),
      import('../app/serve-workers.ts'),
    ]);
    const config = loadConfig();
    await serveWith(workers, config, async () => {
      const { serve } = await import('../app/serve.ts');
      await serve(config);
    });
  });
}

export function addConsume(program: Command): void {
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
  whenCalled<{ readonly lanes: Lanes }>(command, async (_output, { lanes }) => {
    const [{ loadConfig }, { consume }] = await Promise.all([
      import('../config/config.ts'),
      import('../app/consume.ts'),
    ]);
    await consume(loadConfig(), lanes);
  });
}

export function addNotify(program: Command): void {
  const command = defineCommand(program, {
    usage: 'notify',
    summary: 'delivers notifications to watches until SIGTERM; run as many as you need',
    example: 'notify',
  });
  whenCalled(command, async () => {
    const [{ loadConfig }, { notify }] = await Promise.all([import('../config/config.ts'), import('../app/notify.ts')]);
    await notify(loadConfig());
  });
}

interface CaptureArguments {
  readonly from: 'binlog';
  readonly mapping?: string;
  readonly dryRun?: boolean;
}

export function addCapture(program: Command): void {
  const command = defineCommand(program, {
    usage: 'capture',
    summary:
      "publishes what changes in a site's tables, from MySQL's binary log, until SIGTERM; one works, others stand by",
    example: 'capture --mapping capture.yaml --dry-run',
  })
    .addOption(
      new Option('--from <source>', 'where changes are read: the binary log, or the topics that Debezium fills from it')
        .choices(['binlog', 'debezium'])
        .default('binlog'),
    )
    .option('--mapping <file>', 'which columns hold which ids (default: RECENCY_CAPTURE_MAPPING, or capture.yaml)')
    .option('--dry-run', 'print what would be published, from now on; write nothing');
  whenCalled<CaptureArguments>(command, async (_output, { mapping, from, dryRun = false }) => {
    const [{ loadConfig }, { capture }] = await Promise.all([
      import('../config/config.ts'),
      import('../app/capture.ts'),
    ]);
    const config = loadConfig();
    await capture(config, { from, mapping: mapping ?? config.captureMapping ?? 'capture.yaml', dryRun });
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
  whenCalled<RelayFlags>(command, async (output, flags) => {
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
  await output.result({ republished: rows }, `${rows} rows are unpublished again; running relays publish them.`);
}
