import type { Command } from 'commander';
import { defineCommand, whenCalled } from './define-command.ts';

export function addServe(program: Command): void {
  const command = defineCommand(program, {
    usage: 'serve',
    summary: 'answers over HTTP, until SIGTERM; the log is on stdout, one JSON object a line',
    example: 'serve',
  });
  whenCalled(command, async () => {
    const [{ loadConfig }, { serve }] = await Promise.all([import('../config/config.ts'), import('../app/serve.ts')]);
    await serve(loadConfig());
  });
}
