import type { Command } from 'commander';
import { defineCommand, whenCalled } from './define-command.ts';

export function addConsume(program: Command): void {
  const command = defineCommand(program, {
    usage: 'consume',
    summary:
      'applies tasks to the indexes, until SIGTERM; any number may run; the log is on stdout, one JSON object a line',
    example: 'consume',
  });
  whenCalled(command, async () => {
    const [{ loadConfig }, { consume }] = await Promise.all([
      import('../config/config.ts'),
      import('../app/consume.ts'),
    ]);
    await consume(loadConfig());
  });
}
