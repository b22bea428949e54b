import type { Command } from 'commander';
import { id, whole } from '../cli/arguments.ts';
import { action, defineCommand, defineGroup } from '../cli/define-command.ts';
import { EXIT } from '../cli/exit-code.ts';
import type { Output } from '../cli/output.ts';
import type { Id } from '../contracts/id.ts';

type WatchView = ReturnType<typeof import('./watch-view.ts').viewOf>;

export function addWatches(program: Command): void {
  const watches = defineGroup(program, {
    usage: 'watches',
    summary: 'lists, shows, tests and removes watches: who is told of what is new to a user',
    example: 'watches list --user 42',
  });
  addList(watches);
  addShow(watches);
  addTest(watches);
  addRemove(watches);
  addUndelivered(watches);
}

function addList(watches: Command): void {
  const command = defineCommand(watches, {
    usage: 'list',
    summary: 'lists watches by id, or those of one user',
    example: 'watches list --after 100 --limit 20',
  })
    .option('--user <id>', 'only those of this user', id)
    .option('--after <id>', 'start after this watch', id)
    .option('--limit <n>', 'maximum number of watches', whole(1, 10_000), 100);
  action<{ user?: Id; after?: Id; limit: number }>(command, async (output, { user, after = '0', limit }) => {
    const [{ readWatchesOf, readWatchPage }, { viewOf }] = await Promise.all([
      import('./watch-table.ts'),
      import('./watch-view.ts'),
    ]);
    const found = await withPrimary(({ primary }) =>
      user === undefined ? readWatchPage(primary, after, limit) : readWatchesOf(primary, [user]),
    );
    const views = found.map(viewOf);
    await output.result({ watches: views }, () => table(views));
    if (user === undefined && found.length === limit) {
      output.note(`There may be more; continue with --after ${found.at(-1)?.id}`);
    }
  });
}

async function table(views: readonly WatchView[]): Promise<string> {
  if (views.length === 0) return 'There are no watches.';
  const { textTable } = await import('../cli/output.ts');
  return textTable(
    ['id', 'user', 'kinds', 'to', 'state', 'last delivery'],
    views.map((view) => [
      view.id,
      view.user,
      view.kinds.join(),
      view.url ?? view.channel,
      view.state,
      view.notified_at ?? '',
    ]),
  );
}

function addShow(watches: Command): void {
  const command = defineCommand(watches, {
    usage: 'show',
    summary: 'shows a watch, without its secrets',
    example: 'watches show 7',
  }).argument('<id>', 'the id of the watch', id);
  action<object, [watch: Id]>(command, async (output, _options, watch) => {
    const [{ readWatch }, { viewOf }] = await Promise.all([import('./watch-table.ts'), import('./watch-view.ts')]);
    const found = await withPrimary(({ primary }) => readWatch(primary, watch));
    if (found === undefined) return refuse(output, watch);
    const view = viewOf(found);
    const lines = Object.entries(view).map(
      ([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : value}`,
    );
    await output.result(view, lines.join('\n'));
  });
}

/** How long a test delivery is waited for, ms: longer than a webhook may take. */
const TEST_MS = 20_000;

const LOOK_MS = 200;

function addTest(watches: Command): void {
  const command = defineCommand(watches, {
    usage: 'test',
    summary: 'has a test notification delivered, and waits until it is; exits with 1 if it fails',
    example: 'watches test 7',
  }).argument('<id>', 'the id of the watch', id);
  action<object, [watch: Id]>(command, async (output, _options, watch) => {
    const [{ WatchManager }, { pause }] = await Promise.all([
      import('./watch-manager.ts'),
      import('../timing/loop.ts'),
    ]);
    const outcome = await withPrimary(async ({ primary }) => {
      const nothing = async () => undefined; // the watch is due by itself: no Redis is needed
      const watched = { add: nothing, check: nothing };
      const manager = new WatchManager({ database: primary, watched, onFault: () => undefined, clock: Date.now });
      const begun = Date.now();
      const notification = await manager.test(watch);
      if (notification === undefined) return undefined;
      for (;;) {
        const found = await manager.find(watch);
        const tested = found?.tested?.notification === notification ? found.tested : undefined;
        const isOver = found === undefined || tested !== undefined;
        if (isOver || Date.now() - begun > TEST_MS) return { notification, tested };
        await pause(LOOK_MS);
      }
    });
    if (outcome === undefined) return refuse(output, watch);
    const { notification, tested } = outcome;
    const delivered = tested !== undefined && tested.why === undefined;
    const text = tested === undefined ? WAITS : delivered ? 'was delivered' : `was not delivered: ${tested.why}`;
    const why = tested?.why === undefined ? {} : { why: tested.why };
    await output.result({ watch, notification, delivered, ...why }, `Notification ${notification} ${text}.`);
    if (!delivered) output.exitCode = EXIT.failed;
  });
}

const WAITS = 'still waits: no `recency notify` is running, or it is busy';

function addRemove(watches: Command): void {
  const command = defineCommand(watches, {
    usage: 'remove',
    summary: 'removes a watch',
    example: 'watches remove 7',
  }).argument('<id>', 'the id of the watch', id);
  action<object, [watch: Id]>(command, async (output, _options, watch) => {
    const { deleteWatch } = await import('./watch-table.ts');
    if (!(await withPrimary(({ primary }) => deleteWatch(primary, watch)))) return refuse(output, watch);
    await output.result({ removed: watch }, `Watch ${watch} is removed.`);
  });
}

function addUndelivered(watches: Command): void {
  const group = defineGroup(watches, {
    usage: 'undelivered',
    summary: 'lists and replays notifications that were given up after three days',
    example: 'watches undelivered list',
  });
  const list = defineCommand(group, {
    usage: 'list',
    summary: 'lists them, oldest first',
    example: 'watches undelivered list --limit 20',
  }).option('--limit <n>', 'maximum number', whole(1, 10_000), 100);
  action<{ limit: number }>(list, async (output, { limit }) => {
    const { readUndelivered } = await import('./undelivered.ts');
    const letters = await withPrimary(({ primary }) => readUndelivered(primary, limit));
    const views = letters.map(({ id, watch, user, sources, givenUpAt }) => ({
      notification: id,
      watch,
      user,
      sources: sources.map(({ kind, id: source }) => `${kind}/${source}`),
      given_up_at: new Date(givenUpAt).toISOString(),
    }));
    await output.result({ undelivered: views }, () => lettersTable(views));
  });
  const replay = defineCommand(group, {
    usage: 'replay',
    summary: 'has them delivered again, under the same ids; what the user may no longer see is left out',
    example: 'watches undelivered replay 3q2-7wAAAAAAAAAAAAAAAA',
  }).argument('<notification...>', 'ids from `watches undelivered list`');
  action<object, [ids: string[]]>(replay, async (output, _options, ids) => {
    const { replayUndelivered } = await import('./undelivered.ts');
    const replayed = await withPrimary(async ({ primary }) => {
      const outcomes: { notification: string; outcome: keyof typeof OUTCOMES }[] = [];
      for (const notification of new Set(ids)) {
        outcomes.push({ notification, outcome: await replayUndelivered(primary, notification, Date.now()) });
      }
      return outcomes;
    });
    const lines = replayed.map(({ notification, outcome }) => `${notification}: ${OUTCOMES[outcome]}`);
    await output.result({ undelivered: replayed }, lines.join('\n'));
    if (replayed.some(({ outcome }) => outcome !== 'replayed')) output.exitCode = EXIT.failed;
  });
}

const OUTCOMES = {
  replayed: 'is on its way again',
  busy: 'not now: its watch has another notification on its way',
  no_watch: 'its watch was removed',
  unknown: 'there is no such notification; `recency watches undelivered list` lists them',
};

interface LetterView {
  readonly notification: string;
  readonly watch: Id;
  readonly user: Id;
  readonly sources: readonly string[];
  readonly given_up_at: string;
}

async function lettersTable(views: readonly LetterView[]): Promise<string> {
  if (views.length === 0) return 'Nothing was given up.';
  const { textTable } = await import('../cli/output.ts');
  return textTable(
    ['notification', 'watch', 'user', 'sources', 'given up'],
    views.map(({ notification, watch, user, sources, given_up_at }) => [
      notification,
      watch,
      user,
      sources.join(' '),
      given_up_at,
    ]),
  );
}

function refuse(output: Output, watch: Id): void {
  output.note(`There is no watch ${watch}. \`recency watches list\` lists them.`);
  output.exitCode = EXIT.failed;
}

async function withPrimary<T>(work: Parameters<typeof import('../app/stores.ts').withPrimary<T>>[0]): Promise<T> {
  const [{ withPrimary }, { interruptible }] = await Promise.all([
    import('../app/stores.ts'),
    import('../cli/define-command.ts'),
  ]);
  return await interruptible((signal) => withPrimary(work, signal));
}

export function addNotify(program: Command): void {
  const command = defineCommand(program, {
    usage: 'notify',
    summary: 'delivers notifications to watches until SIGTERM; run as many as you need',
    example: 'notify',
  });
  action(command, async () => {
    const [{ loadConfig }, { notify }] = await Promise.all([import('../config/config.ts'), import('./process.ts')]);
    await notify(loadConfig());
  });
}
