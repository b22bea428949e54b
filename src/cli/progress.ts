import type { Command } from 'commander';
import { whole } from './arguments.ts';
import { action, defineCommand, interruptible } from './define-command.ts';

const count = (value: number) => value.toLocaleString('en');

type RunView = ReturnType<typeof import('../repair/run-progress.ts').runView>;

export function addRuns(program: Command): void {
  const command = defineCommand(program, {
    usage: 'runs',
    summary: 'shows the latest runs of backfill and repair: how far they are, and which can be resumed',
    example: 'runs --limit 5',
  }).option('--limit <n>', 'maximum number of runs', whole(1, 1_000), 20);
  action<{ limit: number }>(command, async (output, { limit }) => {
    const [{ withPrimary }, { latestRuns }, { kindDatabases }, { siteOf }, { runProgress, runView }] =
      await Promise.all([
        import('../app/stores.ts'),
        import('../mysql/runs.ts'),
        import('../mysql/statements/kind-statements.ts'),
        import('../site/site.ts'),
        import('../repair/run-progress.ts'),
      ]);
    const views = await withPrimary(async ({ primary, config }) => {
      const kinds = kindDatabases(siteOf(config), primary);
      const found = await latestRuns(primary, limit);
      return await Promise.all(found.map(async (run) => runView(await runProgress(run, kinds, Date.now()))));
    });
    await output.result({ runs: views }, () => runsText(views));
  });
}

async function runsText(views: readonly RunView[]): Promise<string> {
  if (views.length === 0) return 'There was no run yet.';
  const { textTable } = await import('./output.ts');
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

type FanOutView = ReturnType<typeof import('../api/routes/list-fan-outs.ts').fanOutView>;

export function addFanOuts(program: Command): void {
  const command = defineCommand(program, {
    usage: 'fan-outs',
    summary: 'shows the large fan-outs in progress: how far they are, and when they will be done',
    example: 'fan-outs',
  });
  action(command, async (output) => {
    const [{ withStores }, { FanOutProgress }, { fanOutView }] = await Promise.all([
      import('../app/stores.ts'),
      import('../index/redis/fan-out-progress.ts'),
      import('../api/routes/list-fan-outs.ts'),
    ]);
    const found = await interruptible((signal) =>
      withStores({ name: 'fan-outs' }, signal, ({ stores, config }) =>
        new FanOutProgress(stores.redis, config.keyPrefix).list(Date.now()),
      ),
    );
    const views = found.map(fanOutView);
    await output.result({ fan_outs: views }, () => fanOutsText(views));
  });
}

async function fanOutsText(views: readonly FanOutView[]): Promise<string> {
  if (views.length === 0) return 'No large fan-out is in progress.';
  const { textTable } = await import('./output.ts');
  return textTable(
    ['kind', 'owner', 'planned', 'segments', 'followers', 'a second', 'ends'],
    views.map(({ kind, owner, planned_at, segments, followers, users_per_second, ends_at }) => [
      ...[kind, owner, planned_at, `${segments.done} of ${segments.of}`],
      `${count(followers.done)} of about ${count(followers.estimated)}`,
      users_per_second === null ? 'not known yet' : count(users_per_second),
      ends_at ?? 'not known yet',
    ]),
  );
}
