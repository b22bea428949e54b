import type { Command } from 'commander';
import { id } from './arguments.ts';
import { defineCommand, whenCalled } from './define-command.ts';
import { interruptible } from './interrupt.ts';

export function addInspect(program: Command): void {
  const command = defineCommand(program, {
    usage: 'inspect',
    summary: "shows a user's index as it is in Redis",
    example: 'inspect 42',
  }).argument('<user>', 'whose index', id);
  whenCalled<object, [user: string]>(command, async (output, _options, user) => {
    const [{ withStores }, { inspectIndex }, { indexView }] = await Promise.all([
      import('../app/stores.ts'),
      import('../query/inspect-index.ts'),
      import('../api/index-view.ts'),
    ]);
    const inspection = await interruptible((signal) =>
      withStores({ name: 'inspect' }, signal, ({ stores }) =>
        inspectIndex({ index: stores.index, database: stores.primary }, user),
      ),
    );
    const view = indexView(inspection);
    await output.result(view, () => table(view));
  });
}

type View = ReturnType<typeof import('../api/index-view.ts').indexView>;

async function table(view: View): Promise<string> {
  const { textTable } = await import('./text-table.ts');
  const { members, ...about } = view;
  const facts = textTable(
    [],
    Object.entries(about).map(([name, value]) => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  );
  const rows = members.map(({ id: contact, last_upload_at: at }, i) => [i + 1, contact, at]);
  return rows.length === 0 ? facts : `${facts}\n\n${textTable(['', 'contact', 'last upload'], rows)}`;
}
