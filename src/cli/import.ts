import type { Command } from 'commander';
import { defineCommand, whenCalled } from './define-command.ts';
import { EXIT } from './exit-code.ts';
import { interruptible } from './interrupt.ts';

export function addImport(program: Command): void {
  const command = defineCommand(program, {
    usage: 'import',
    summary:
      'imports a temporal edge list (src dst unix_seconds, plain or .gz) into the reference schema; backfill afterwards',
    example: 'import CollegeMsg.txt.gz',
  }).argument('<file>', 'the first src → dst makes dst a contact of src, every line is a photo by src');
  whenCalled<object, [file: string]>(command, async (output, _options, file) => {
    const [{ importFile }] = await Promise.all([import('../start/import-file.ts')]);
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
