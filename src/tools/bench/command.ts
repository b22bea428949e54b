import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { action, interruptible } from '../../cli/define-command.ts';
import { type Output, textTable } from '../../cli/output.ts';
import { type BenchReport, tableOf } from './report.ts';

interface BenchFlags {
  readonly out?: string;
  readonly quick?: boolean;
  readonly install?: boolean;
}

export function defineBench(command: Command): void {
  command
    .option('--out <dir>', 'also writes each result there, as NAME-MYSQL.json')
    .option('--quick', 'a quick check that it works: the figures mean nothing')
    .option('--install', 'install missing server programs with apt-get (Debian and Ubuntu, as root)');
  action<BenchFlags, [string | undefined]>(command, async (output, { out, quick = false, install = false }, name) => {
    const [{ BENCHES }, { runBench }] = await Promise.all([import('./benches.ts'), import('./bench.ts')]);
    const progress = (text: string) => output.note(text);
    await interruptible(async (signal) => {
      for (const bench of BENCHES.filter((one) => name === undefined || one.name === name)) {
        progress(`${bench.name}: ${bench.summary}`);
        const report = await runBench(bench, { quick, install, signal, progress });
        if (out !== undefined) write(output, out, report);
        await output.result(report, () => textOf(report));
      }
    });
  });
}

function textOf({ rows, ratios }: BenchReport): string {
  const { head, cells } = tableOf(rows);
  return `${textTable(head, cells)}\n\n${textTable(['ratio', ''], Object.entries(ratios))}\n`;
}

/** One file per benchmark and kind of MySQL; a later run replaces an earlier one. */
function write(output: Output, dir: string, report: BenchReport): void {
  mkdirSync(dir, { recursive: true });
  const product = (report.servers.mysql ?? '').toLowerCase().replace(/[^a-z0-9].*$/, '');
  const file = join(dir, `${report.bench}-${product}.json`);
  writeFileSync(file, `${JSON.stringify(report, undefined, 2)}\n`);
  output.note(`written: ${file}`);
}
