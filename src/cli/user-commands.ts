import { type Command, Option } from 'commander';
import type { IndexStores, KindStores } from '../app/stores.ts';
import { CONTACTS, KIND_NAMES, KINDS } from '../contracts/kind.ts';
import { UserError } from '../contracts/user-error.ts';
import { counting } from '../health/finding.ts';
import { id } from './arguments.ts';
import { action, defineCommand, interruptible } from './define-command.ts';
import { EXIT, UsageError } from './exit-code.ts';

type IndexView = ReturnType<typeof import('../api/routes/user-index.ts').indexView>;
type ExplanationView = ReturnType<typeof import('../api/routes/explain.ts').explanationView>;

interface KindFlag {
  readonly kind: string;
}

function kindOption(what: string): Option {
  return new Option('--kind <name>', what).choices(KIND_NAMES).default(CONTACTS.name);
}

/** Checked before anything is opened. @throws UsageError when the kind is not in use, ConfigError */
async function requireInUse(name: string): Promise<void> {
  const { loadConfig } = await import('../config/config.ts');
  const kinds: readonly string[] = loadConfig().kinds;
  if (kinds.includes(name)) return;
  throw new UsageError(`--kind ${name} is not in use; RECENCY_KINDS names ${kinds.join(', ')}.`);
}

function storesOf(stores: IndexStores, name: string): KindStores {
  const found = stores.kinds.find(({ kind }) => kind.name === name);
  if (found === undefined) throw new RangeError(`${name} is not in use`);
  return found;
}

function singularOf(name: string): string {
  return KINDS.find((kind) => kind.name === name)?.singular ?? CONTACTS.singular;
}

export function addInspect(program: Command): void {
  const command = defineCommand(program, {
    usage: 'inspect',
    summary: "shows a user's index as it is in Redis",
    example: 'inspect 42',
  })
    .argument('<user>', 'the user whose index to show', id)
    .addOption(kindOption('the kind whose index to show'));
  action<KindFlag, [user: string]>(command, async (output, { kind }, user) => {
    await requireInUse(kind);
    const [{ withStores }, { inspectIndex }, { indexView }] = await Promise.all([
      import('../app/stores.ts'),
      import('../query/inspect-index.ts'),
      import('../api/routes/user-index.ts'),
    ]);
    const inspection = await interruptible((signal) =>
      withStores({ name: 'inspect' }, signal, ({ stores, config }) => {
        const { index, primary, steps } = storesOf(stores, kind);
        return inspectIndex({ index, database: primary.server, steps, hasIndexes: config.keep > 0 }, user);
      }),
    );
    const view = indexView(inspection);
    await output.result(view, () => indexText(view, singularOf(kind)));
  });
}

async function indexText({ members, ...about }: IndexView, singular: string): Promise<string> {
  const { textTable } = await import('./output.ts');
  const shown = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));
  const facts = textTable(
    [],
    Object.entries(about).map(([name, value]) => [name, shown(value)]),
  );
  if (members.length === 0) return facts;
  const rows = members.map(({ id: contact, last_upload_at: at }, i) => [i + 1, contact, at]);
  return `${facts}\n\n${textTable(['', singular, 'last upload'], rows)}`;
}

export function addExplain(program: Command): void {
  const command = defineCommand(program, {
    usage: 'explain',
    summary: "says why a contact or group is, or is not, in a user's index and answer",
    example: 'explain 42 7',
  })
    .argument('<user>', 'the user who asks', id)
    .argument('<contact>', 'the contact in question; with `--kind groups` the group', id)
    .addOption(kindOption('the kind whose index to explain'));
  action<KindFlag, [user: string, contact: string]>(command, async (output, { kind }, user, contact) => {
    if (kind === CONTACTS.name && user === contact) throw new UsageError('A user is not a contact of their own.');
    await requireInUse(kind);
    const [
      { withStores },
      { explainer },
      { smallUsersOf },
      { explanationView },
      { KeyNames },
      { AppliedMoments },
      { limitsOf },
    ] = await Promise.all([
      import('../app/stores.ts'),
      import('../app/api-queries.ts'),
      import('../query/small-users.ts'),
      import('../api/routes/explain.ts'),
      import('../index/redis/keys.ts'),
      import('../redis/applied-moments.ts'),
      import('../app/shared-sizes.ts'),
    ]);
    const view = await interruptible((signal) =>
      withStores({ name: 'explain' }, signal, async ({ stores, config }) => {
        const { kind: of, index, primary } = storesOf(stores, kind);
        const { bulk } = await new AppliedMoments(stores.redis, config.keyPrefix).read();
        const lag = { lagMs: () => bulk, exactWithinMs: config.exactWithinMs };
        const explain = explainer({
          index,
          primary,
          reading: primary,
          limits: limitsOf(config),
          lag,
          small: smallUsersOf(primary, config),
        });
        const names = new KeyNames(config.keyPrefix, of);
        return { ...explanationView(await explain(user, contact)), keys: [names.set(user), names.meta(user)] };
      }),
    );
    await output.result(view, explanationText(view, kind));
  });
}

function explanationText(view: ExplanationView & { readonly keys: readonly string[] }, kind: string): string {
  const { verdict, drift, breaks, answer, mysql, index, keys } = view;
  const source = answer.reason === undefined ? answer.source : `${answer.source}: ${answer.reason}`;
  const floor = index.floor === null ? 'none' : `${index.floor.at} ${index.floor.id}`;
  return [
    verdict.sentence,
    ...(drift === null ? [] : [`Drift: ${drift}. It breaks ${breaks}`]),
    `Answer: ${answer.verdict.sentence} (From the ${source}.)`,
    mysql === null ? 'MySQL: no row for the pair.' : mysqlText(mysql),
    `Index: ${index.state}, ${index.size} ${kind}, floor ${floor}, entry ${index.last_upload_at ?? 'none'}.`,
    `Redis: ${keys.join(' and ')}.`,
  ].join('\n');
}

function mysqlText(row: NonNullable<ExplanationView['mysql']>): string {
  const { related, relation, last_upload_at, sees, place, version } = row;
  const state = related ? ['related', ...(relation ?? [])].join(', ') : 'not related';
  const audiences = sees.length === 0 ? 'no audience' : `audiences ${sees.join(', ')}`;
  return `MySQL: ${state}, sees ${audiences}, last upload ${last_upload_at ?? 'none'}, place ${place ?? 'none'}, version ${version}.`;
}

export function addForget(program: Command): void {
  const command = defineCommand(program, {
    usage: 'forget',
    summary:
      'erases what Recency holds of a user: indexes, pending work, watches, what was seen, dead letters; the tables of the site are not changed',
    example: 'forget 42',
  }).argument('<user>', 'the user to forget', id);
  action<object, [user: string]>(command, async (output, _options, user) => {
    const erased = await interruptible((signal) => eraseFromStores(user, signal));
    const letters = await interruptible((signal) => eraseLetters(user, signal)).catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error;
      output.note(`The dead letters could not be looked through: ${error.message} Run this again.`);
      output.exitCode = EXIT.failed;
      return undefined;
    });
    const { seen, watches, outbox, undelivered, reports, pending } = erased;
    const newest = letters?.newest === undefined ? null : new Date(letters.newest).toISOString();
    const deadLetters = letters === undefined ? null : { ...letters, newest };
    await output.result(
      { forgotten: user, erased, dead_letters: deadLetters, left: LEFT_OVER },
      `User ${user} is forgotten: indexes and pending work, ${counting(letters?.erased ?? 0, 'dead letter')}, and rows of ${counting(seen, 'mark')}, ${counting(watches, 'watch', 'watches')}, ${counting(outbox, 'published task')}, ${counting(undelivered, 'undelivered notification')} and ${counting(reports, 'report')}.`,
    );
    if (pending > 0)
      output.note(`Not published yet: ${counting(pending, 'task')} about the user. Run this again later.`);
    if (letters !== undefined && letters.left > 0) {
      output.note(
        `${letters.left} dead letters that name the user are left, because they concern others too, are no tasks, or are on Kafka, which removes no single record. They go when the retention of the dead letters ends (on Redis 30 days), counted from ${newest} for the newest.`,
      );
    }
    for (const left of LEFT_OVER) output.note(left);
  });
}

async function eraseFromStores(user: string, signal: AbortSignal) {
  const [{ withStores }, { eraseUser }, { eraseFromPush }, { WatchedUsers }] = await Promise.all([
    import('../app/stores.ts'),
    import('../mysql/erase.ts'),
    import('../push/erase.ts'),
    import('../index/redis/watched-users.ts'),
  ]);
  return await withStores({ name: 'forget' }, signal, async ({ config, stores }) => {
    const areContactsUsers = config.separateIds !== 'true';
    const { watches, undelivered } = await eraseFromPush(stores.primary, user, areContactsUsers);
    const { seen, outbox, reports, pending } = await eraseUser(stores.primary, user, areContactsUsers);
    for (const { steps } of [...stores.kinds, ...stores.unused]) await steps.forget([user]);
    await new WatchedUsers(stores.redis, config.keyPrefix).forget(user);
    return { seen, watches, outbox, undelivered, reports, pending };
  });
}

/** Last, because a transport that is away must not keep the rest from being erased. */
async function eraseLetters(user: string, signal: AbortSignal) {
  const { withDeadLetters } = await import('../app/transport.ts');
  return await withDeadLetters('forget', signal, (deadLetters) => deadLetters.erase(user));
}

/** What no command can erase. */
const LEFT_OVER: readonly string[] = [
  "Published tasks and notifications that name the user stay on the transport. On Redis Streams a task goes once it is done; on Kafka a record goes when its topic's retention ends (retention.ms, 7 days if nobody has set it), counted from now.",
  'Indexes of other users hold the user as a contact for as long as the tables of the site do.',
  'Logs, traces, backups and the binary log of MySQL are yours. See docs/erasure.md.',
];
