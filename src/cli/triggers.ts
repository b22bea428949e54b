import type { Command } from 'commander';
import { defineCommand, whenCalled } from './define-command.ts';

interface TriggersFlags {
  readonly mapping: string;
  readonly drop?: boolean;
}

export function addTriggers(program: Command): void {
  const command = defineCommand(program, {
    usage: 'triggers',
    summary:
      'writes to stdout the SQL of triggers that fill the outbox from the tables of a mapping, where the binary log may not be read; runs nothing',
    example: 'triggers --mapping recency-init/mapping.yaml',
  })
    .requiredOption('--mapping <file>', 'the mapping, as `recency init` proposes it')
    .option('--drop', 'the statements that remove them');
  whenCalled<TriggersFlags>(command, async (output, { mapping: file, drop }) => {
    const [{ loadConfig }, { readMapping }, { mysqlAddress }, { knowSite }, { dropStatements, triggerStatements }] =
      await Promise.all([
        import('../config/config.ts'),
        import('../app/adoption.ts'),
        import('../app/open-mysql.ts'),
        import('../app/site-settings.ts'),
        import('../adoption/triggers.ts'),
      ]);
    const config = loadConfig();
    knowSite(config);
    const { database } = mysqlAddress(config.mysqlUrl);
    const mapping = await readMapping(file, database);
    const statements = drop ? dropStatements(mapping) : triggerStatements(mapping, database);
    await output.result({ statements }, drop ? `${statements.join(';\n')};` : fileText(statements));
  });
}

const HEAD = `-- Triggers that write recency_outbox for every row that changes. Read them, then run them as an account that may create
-- triggers, INSERT into recency_outbox and SELECT the tables that they look into: they run with its rights.
-- They are not fired by TRUNCATE, nor by what a foreign key's ON DELETE or ON UPDATE does to other rows: map the parent, and
-- after a TRUNCATE run \`recency epoch bump\`. What changed before they were there is found by \`recency epoch bump\` too.`;

/** A client of MySQL must not take the semicolons inside for ends. */
function fileText(statements: readonly string[]): string {
  return `${HEAD}\nDELIMITER $$\n${statements.map((statement) => `${statement}$$`).join('\n')}\nDELIMITER ;`;
}
