import type { Command } from 'commander';
import { whole } from './arguments.ts';
import { defineCommand, whenCalled } from './define-command.ts';

type RunView = ReturnType<typeof import('../repair/run-progress.ts').runView>;

export function addRuns(program: Command): void {
  const command = defineCommand(program, {
    usage: 'runs',
    summary: 'shows the latest runs of backfill and repair: how far they are, and which can be resumed',
    example: 'runs --limit 5',
  }).option('--limit <n>', 'maximum number of runs', whole(1, 1_000), 20);
  whenCalled<{ limit: number }>(command, async (output, { limit }) => {
    const [{ withPrimary }, { latestRuns }, { ofKind }, { kindsNamed }, { runProgress, runView }] = await Promise.all([
      import('../app/stores.ts'),
      import('../mysql/runs.ts'),
      import('../mysql/kind-database.ts'),
      import('../contracts/kind.ts'),
      import('../repair/run-progress.ts'),
    ]);
    const views = await withPrimary(async ({ primary, config }) => {
      const kinds = kindsNamed(config.kinds).map((kind) => ({ kind, primary: ofKind(primary, kind) }));
      const found = await latestRuns(primary, limit);
      return await Promise.all(found.map(async (run) => runView(await runProgress(run, kinds, Date.now()))));
    });
    await output.result({ runs: views }, () => runsText(views));
  });
}

async function runsText(views: readonly RunView[]): Promise<string> {
  if (views.length === 0) return 'There was no run yet.';
  const { textTable } = await import('./text-table.ts');
  const count = (value: number) => value.toLocaleString('en');
  return textTable(
    ['run', 'job', 'state', 'users', 'a second', 'saved', 'ends'],
    views.map(({ run, job, dry_run, state, users, users_per_second, updated_at, ends_at }) => [
      ...[run, dry_run ? `${job} (dry run)` : job, state === 'still' ? `stopped: --resume ${run}` : state],
      `${count(users.done)} of about ${count(users.of)}`,
      users_per_second === null ? 'not known yet' : count(users_per_second),
      ...[updated_at ?? '', ends_at ?? ''],
    ]),
  );
}
