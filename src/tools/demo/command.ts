import process from 'node:process';
import { type Command, Option } from 'commander';
import { whole } from '../../cli/arguments.ts';
import { action, interruptible } from '../../cli/define-command.ts';
import { EXIT } from '../../cli/exit-code.ts';
import { DEFAULTS, type DemoOptions, LEAST } from './options.ts';

export function defineDemo(command: Command): void {
  command
    .addOption(
      new Option('--transport <name>', 'default: kafka if a broker is available, otherwise streams').choices([
        'kafka',
        'streams',
      ]),
    )
    .addOption(
      new Option(
        '--feed <name>',
        "how changes become tasks: the site writes an outbox, or they are captured from MySQL's binary log",
      )
        .choices(['outbox', 'capture'])
        .default(DEFAULTS.feed),
    )
    .option('--install', 'install missing server programs with apt-get (Debian and Ubuntu, as root)')
    .addOption(number('--users <n>', 'number of people with contacts of their own', LEAST.users, DEFAULTS.users))
    .addOption(number('--most <n>', 'contacts of the user who has the most', LEAST.most, DEFAULTS.most))
    .addOption(new Option('--data <file>', 'a temporal edge list to import instead of generating people'))
    .addOption(number('--seed <n>', 'seed of all random choices', 0, DEFAULTS.seed))
    .addOption(number('--seconds <n>', 'duration of the play', LEAST.seconds, DEFAULTS.seconds))
    .addOption(number('--burst <n>', 'tasks in the burst that measures the throughput', LEAST.burst, DEFAULTS.burst))
    .addOption(number('--uploads <n>', 'uploads that watches are told of', LEAST.uploads, DEFAULTS.uploads))
    .addOption(number('--rounds <n>', 'rounds of the latency table', LEAST.rounds, DEFAULTS.rounds))
    .option('--page', 'serve a page of the site, and keep everything running until Ctrl-C; default: on a terminal')
    .option('--no-page', 'serve no page');
  action<Partial<DemoOptions> & { readonly page?: boolean }>(command, async (output, { page, ...flags }) => {
    const [{ runDemo }, { Story }, { isRight }] = await Promise.all([
      import('./demo.ts'),
      import('./story.ts'),
      import('./report.ts'),
    ]);
    const story = new Story(output.json ? process.stderr : process.stdout, () => performance.now());
    const options = { ...DEFAULTS, ...flags };
    const isWatched = !output.json && process.stdout.isTTY;
    const servesPage = page ?? isWatched;
    const staysUp = servesPage || isWatched;
    const report = await interruptible((signal) => runDemo(options, { story, signal, staysUp, servesPage }));
    if (output.json) await output.result(report, '');
    if (!isRight(report)) output.exitCode = EXIT.failed;
  });
}

function number(flags: string, says: string, least: number, fallback: number): Option {
  return new Option(flags, says).argParser(whole(least, 10_000_000)).default(fallback);
}
