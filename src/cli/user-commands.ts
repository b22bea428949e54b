import { type Command, Option } from 'commander';
import type { IndexStores, KindStores } from '../app/stores.ts';
import { CONTACTS, KIND_NAMES, KINDS } from '../contracts/kind.ts';
import { id } from './arguments.ts';
import { defineCommand, whenCalled } from './define-command.ts';
import { UsageError } from './exit-code.ts';
import { interruptible } from './interrupt.ts';

type IndexView = ReturnType<typeof import('../api/index-view.ts').indexView>;
type ExplanationView = ReturnType<typeof import('../api/explanation-view.ts').explanationView>;

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
  whenCalled<KindFlag, [user: string]>(command, async (output, { kind }, user) => {
    await requireInUse(kind);
    const [{ withStores }, { inspectIndex }, { indexView }] = await Promise.all([
      import('../app/stores.ts'),
      import('../query/inspect-index.ts'),
      import('../api/index-view.ts'),
    ]);
    const inspection = await interruptible((signal) =>
      withStores({ name: 'inspect' }, signal, ({ stores }) => {
        const { index, primary } = storesOf(stores, kind);
        return inspectIndex({ index, database: primary }, user);
      }),
    );
    const view = indexView(inspection);
    await output.result(view, () => indexText(view, singularOf(kind)));
  });
}

async function indexText({ members, ...about }: IndexView, singular: string): Promise<string> {
  const { textTable } = await import('./text-table.ts');
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
  whenCalled<KindFlag, [user: string, contact: string]>(command, async (output, { kind }, user, contact) => {
    if (kind === CONTACTS.name && user === contact) throw new UsageError('A user is not a contact of their own.');
    await requireInUse(kind);
    const [{ withStores }, { explainer }, { explanationView }, { KeyNames }] = await Promise.all([
      import('../app/stores.ts'),
      import('../app/api-queries.ts'),
      import('../api/explanation-view.ts'),
      import('../index/redis/keys.ts'),
    ]);
    const view = await interruptible((signal) =>
      withStores({ name: 'explain' }, signal, async ({ stores, config }) => {
        const { kind: of, index, primary } = storesOf(stores, kind);
        const explain = explainer({ kind: of, index, primary, reading: primary, limits: config });
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
    summary: 'deletes what Recency holds of a user: the indexes of every kind, and pending work; MySQL is not changed',
    example: 'forget 42',
  }).argument('<user>', 'the user to forget', id);
  whenCalled<object, [user: string]>(command, async (output, _options, user) => {
    const { withStores } = await import('../app/stores.ts');
    await interruptible((signal) =>
      withStores({ name: 'forget' }, signal, async ({ stores }) => {
        for (const { steps } of [...stores.kinds, ...stores.unused]) await steps.forget([user]);
      }),
    );
    await output.result({ forgotten: user }, `Recency holds nothing of user ${user} any more.`);
  });
}
