import process from 'node:process';
import { type Command, Option } from 'commander';
import { DEFAULTS, type DemoOptions, LEAST } from '../demo/options.ts';
import { whole } from './arguments.ts';
import { defineCommand, whenCalled } from './define-command.ts';
import { EXIT } from './exit-code.ts';
import { interruptible } from './interrupt.ts';

export function addDemo(program: Command): void {
  const command = defineCommand(program, {
    usage: 'demo',
    summary: 'the main job, end to end, on real servers: starts them, plays, verifies, and leaves nothing behind',
    example: 'demo --transport streams',
  })
    .addOption(new Option('--transport <name>', 'kafka where a broker can be had').choices(['kafka', 'streams']))
    .addOption(number('--users <n>', 'people with contacts of their own', LEAST.users, DEFAULTS.users))
    .addOption(number('--most <n>', 'contacts of the one who has the most', LEAST.most, DEFAULTS.most))
    .addOption(new Option('--data <file>', 'a temporal edge list to import in place of generated people'))
    .addOption(number('--seed <n>', 'of everything that is drawn at random', 0, DEFAULTS.seed))
    .addOption(number('--seconds <n>', 'that the play takes', LEAST.seconds, DEFAULTS.seconds))
    .addOption(number('--burst <n>', 'tasks that the throughput is measured with', LEAST.burst, DEFAULTS.burst));
  whenCalled<Partial<DemoOptions>>(command, async (output, flags) => {
    const [{ runDemo }, { Story }, { isRight }] = await Promise.all([
      import('../demo/demo.ts'),
      import('../demo/story/story.ts'),
      import('../demo/report.ts'),
    ]);
    const story = new Story(output.json ? process.stderr : process.stdout, () => performance.now());
    const options = { ...DEFAULTS, ...flags };
    const staysUp = !output.json && process.stdout.isTTY;
    const report = await interruptible((signal) => runDemo(options, { story, signal, staysUp }));
    if (output.json) await output.result(report, '');
    if (!isRight(report)) output.exitCode = EXIT.failed;
  });
}

function number(flags: string, says: string, least: number, fallback: number): Option {
  return new Option(flags, says).argParser(whole(least, 10_000_000)).default(fallback);
}
