import type { Command } from 'commander';
import { defineCommand, whenCalled } from './define-command.ts';
import { interruptible } from './interrupt.ts';

type FanOutView = ReturnType<typeof import('../api/fan-out-view.ts').fanOutView>;

export function addFanOuts(program: Command): void {
  const command = defineCommand(program, {
    usage: 'fan-outs',
    summary: 'shows the large fan-outs in progress: how far they are, and when they will be done',
    example: 'fan-outs',
  });
  whenCalled(command, async (output) => {
    const [{ withStores }, { FanOutProgress }, { fanOutView }] = await Promise.all([
      import('../app/stores.ts'),
      import('../index/redis/fan-out-progress.ts'),
      import('../api/fan-out-view.ts'),
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
  const { textTable } = await import('./text-table.ts');
  const count = (value: number) => value.toLocaleString('en');
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
