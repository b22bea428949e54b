import { type Command, Option } from 'commander';
import type { Times } from '../app/run-process.ts';
import { action, defineCommand } from '../cli/define-command.ts';

interface CaptureArguments {
  readonly from: 'binlog';
  readonly mapping?: string;
  readonly dryRun?: boolean;
}

export function addCapture(program: Command, times: Partial<Times>): void {
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
  action<CaptureArguments>(command, async (_output, { mapping, from, dryRun = false }) => {
    const [{ loadConfig }, { capture }] = await Promise.all([import('../config/config.ts'), import('./process.ts')]);
    const config = loadConfig();
    await capture(config, { from, mapping: mapping ?? config.captureMapping ?? 'capture.yaml', dryRun }, times);
  });
}
