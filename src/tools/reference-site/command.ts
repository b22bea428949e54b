import type { Command } from 'commander';
import { action, interruptible } from '../../cli/define-command.ts';
import { EXIT } from '../../cli/exit-code.ts';

export function defineImport(command: Command): void {
  action<object, [file: string]>(command, async (output, _options, file) => {
    const { importFile } = await import('./import-edges.ts');
    const progress = output.progress('lines');
    const counts = await interruptible((signal) =>
      importFile(file, { signal, onProgress: ({ lines }) => progress.update(lines) }),
    ).finally(() => progress.stop());
    const { lines, users, contacts, photos } = counts;
    await output.result(counts, `${lines} lines: ${users} new users, ${contacts} new contacts, ${photos} new photos.`);
    if (lines > 0) return;
    output.note(`${file} holds no line of the form: src dst unix_seconds. Nothing was imported.`);
    output.exitCode = EXIT.failed;
  });
}
