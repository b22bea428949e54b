import type { Command } from 'commander';
import type { Mapping } from '../capture/mapping.ts';
import { action, defineCommand, interruptible } from './define-command.ts';

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
  action<TriggersFlags>(command, async (output, { mapping: file, drop }) => {
    const [
      { loadConfig },
      { readMapping },
      { mysqlAddress },
      { everyKind, siteOf },
      { dropStatements, triggerStatements },
    ] = await Promise.all([
      import('../config/config.ts'),
      import('./adoption.ts'),
      import('../app/open-mysql.ts'),
      import('../site/site.ts'),
      import('../adoption/triggers.ts'),
    ]);
    const config = loadConfig();
    const { database } = mysqlAddress(config.mysqlUrl);
    const mapping = await readMapping(file, database, everyKind(siteOf(config)));
    if (drop) {
      const statements = dropStatements(mapping);
      return await output.result({ statements }, `${statements.join(';\n')};`);
    }
    const warnings = await warningsAbout(mapping);
    for (const warning of warnings) output.note(`Warning: ${warning}`);
    const statements = triggerStatements(mapping, database);
    await output.result({ statements, warnings }, fileText(statements, warnings));
  });
}

/** @throws UnseenByTriggers */
async function warningsAbout(mapping: Mapping): Promise<string[]> {
  const [{ checkTriggers }, { withPrimary }] = await Promise.all([import('./adoption.ts'), import('../app/stores.ts')]);
  const found = await interruptible((signal) => withPrimary(({ primary }) => checkTriggers(primary, mapping), signal));
  return found.map(({ what, fix }) => `${what}. ${fix}`);
}

const HEAD = `-- Triggers that write recency_outbox for every row that changes. Read them, then run them as an account that may create
-- triggers, INSERT into recency_outbox and SELECT the tables that they look into: they run with its rights.
-- They are not fired by TRUNCATE, nor by what a foreign key's ON DELETE or ON UPDATE does to other rows. After a
-- TRUNCATE run \`recency epoch bump\`. What changed before they were there is found by \`recency epoch bump\` too.`;

/** A client of MySQL must not take the semicolons inside for ends. */
function fileText(statements: readonly string[], warnings: readonly string[]): string {
  const head = [HEAD, ...warnings.map((warning) => `-- WARNING: ${warning}`)].join('\n');
  return `${head}\nDELIMITER $$\n${statements.map((statement) => `${statement}$$`).join('\n')}\nDELIMITER ;`;
}
