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
    const [{ withStores }, { explainer }, { explanationView }] = await Promise.all([
      import('../start/with-stores.ts'),
      import('../start/api-queries.ts'),
      import('../api/explanation-view.ts'),
    ]);
    const explanation = await interruptible((signal) =>
      withStores({ name: 'explain' }, signal, ({ stores: { index, primary }, config: { min } }) =>
        explainer({ index, primary, reading: primary, min, limitPlain: (query) => query() })(user, contact),
      ),
    );
    const view = explanationView(explanation);
    await output.result(view, () => text(view));
  });
}

type View = ReturnType<typeof import('../api/explanation-view.ts').explanationView>;

function text({ verdict, in_answer, answer, mysql, index }: View): string {
  const source = answer.reason === undefined ? answer.source : `${answer.source}: ${answer.reason}`;
  return [
    verdict.sentence,
    `Answer: ${in_answer ? 'shown' : 'not shown'} on the first page (from the ${source}).`,
    mysql === null
      ? 'MySQL: no row of the pair.'
      : `MySQL: ${mysql.related ? 'related' : 'not related'}, last upload ${mysql.last_upload_at ?? 'none'}, place ${mysql.place ?? 'none'}, version ${mysql.version}.`,
    `Index: ${index.state}, ${index.size} contacts, floor ${index.floor === null ? 'none' : `${index.floor.at} ${index.floor.id}`}, entry ${index.last_upload_at ?? 'none'}.`,
  ].join('\n');
}
