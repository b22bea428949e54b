import type { Command } from 'commander';
import { id } from './arguments.ts';
import { defineCommand, whenCalled } from './define-command.ts';
import { UsageError } from './exit-code.ts';
import { interruptible } from './interrupt.ts';

export function addExplain(program: Command): void {
  const command = defineCommand(program, {
    usage: 'explain',
    summary: "says why a contact is, or is not, in a user's index and answer",
    example: 'explain 42 7',
  })
    .argument('<user>', 'who asks', id)
    .argument('<contact>', 'about whom', id);
  whenCalled<object, [user: string, contact: string]>(command, async (output, _options, user, contact) => {
    if (user === contact) throw new UsageError('A user is not a contact of their own.');
    const [{ withStores }, { explainer }, { explanationView }, { KeyNames }] = await Promise.all([
      import('../app/stores.ts'),
      import('../app/api-queries.ts'),
      import('../api/explanation-view.ts'),
      import('../index/redis/keys.ts'),
    ]);
    const { explanation, keys } = await interruptible((signal) =>
      withStores(
        { name: 'explain' },
        signal,
        async ({ stores: { index, primary }, config: { max, min, keyPrefix } }) => {
          const explain = explainer({
            index,
            primary,
            reading: primary,
            limits: { max, min },
          });
          const names = new KeyNames(keyPrefix);
          return { explanation: await explain(user, contact), keys: [names.set(user), names.meta(user)] };
        },
      ),
    );
    const view = { ...explanationView(explanation), keys };
    await output.result(view, () => text(view));
  });
}

type View = ReturnType<typeof import('../api/explanation-view.ts').explanationView> & { readonly keys: string[] };

function text({ verdict, drift, breaks, answer, mysql, index, keys }: View): string {
  const source = answer.reason === undefined ? answer.source : `${answer.source}: ${answer.reason}`;
  const floor = index.floor === null ? 'none' : `${index.floor.at} ${index.floor.id}`;
  return [
    verdict.sentence,
    ...(drift === null ? [] : [`Drift: ${drift}. It breaks ${breaks}`]),
    `Answer: ${answer.verdict.sentence} (From the ${source}.)`,
    mysql === null ? 'MySQL: no row of the pair.' : mysqlText(mysql),
    `Index: ${index.state}, ${index.size} contacts, floor ${floor}, entry ${index.last_upload_at ?? 'none'}.`,
    `Redis: ${keys.join(' and ')}.`,
  ].join('\n');
}

function mysqlText(row: NonNullable<View['mysql']>): string {
  const { related, relation, last_upload_at, sees, place, version } = row;
  const state = related ? ['related', ...relation].join(', ') : 'not related';
  const audiences = sees.length === 0 ? 'no audience' : `audiences ${sees.join(', ')}`;
  return `MySQL: ${state}, sees ${audiences}, last upload ${last_upload_at ?? 'none'}, place ${place ?? 'none'}, version ${version}.`;
}
