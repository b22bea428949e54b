import { type Command, Option } from 'commander';
import type { MigrateReport, RollbackReport, StatusReport } from '../mysql/migrate.ts';
import type { ViewReport } from '../mysql/schema-views.ts';
import { action, defineCommand } from './define-command.ts';

interface MigrateFlags {
  readonly viewsOnly?: boolean;
  readonly status?: boolean;
  readonly rollback?: boolean;
}

export function addMigrate(program: Command): void {
  const command = defineCommand(program, {
    usage: 'migrate',
    summary: 'creates the reference schema and the views, or only what Recency itself needs',
    example: 'migrate --views-only',
  })
    .addOption(new Option('--views-only', "leave the site's own tables alone").conflicts(['status', 'rollback']))
    .addOption(new Option('--status', 'show which migrations are applied; change nothing').conflicts('rollback'))
    .option('--rollback', 'undo what the last migrate applied, and delete its data');
  action<MigrateFlags>(command, async (output, flags) => {
    const [{ loadConfig }, { migrate, rollback, status }, { mysqlTls }, { siteOf }] = await Promise.all([
      import('../config/config.ts'),
      import('../mysql/migrate.ts'),
      import('../app/open-mysql.ts'),
      import('../site/site.ts'),
    ]);
    const config = loadConfig();
    const server = {
      url: config.mysqlUrl,
      connectTimeoutMs: config.connectTimeoutMs,
      tls: mysqlTls(config),
      kinds: siteOf(config).kinds,
    };
    if (flags.status) {
      const report = await status(server);
      return await output.result(report, () => statusText(report));
    }
    if (flags.rollback) {
      const report = await rollback(server);
      return await output.result(report, () => rollbackText(report));
    }
    const report = await migrate({ ...server, viewsOnly: flags.viewsOnly === true });
    await output.result(report, () => migrateText(report));
  });
}

function migrateText(report: MigrateReport): string {
  return [
    `${report.database} on ${report.server}${report.databaseCreated ? ', created' : ''}`,
    report.applied.length === 0 ? 'Nothing to apply.' : `Applied: ${report.applied.join(', ')}.`,
    // Where all views are the site's own, the reference schema plays no part, and its names mean nothing.
    ...(report.views.every(({ origin }) => origin === 'site') ? [] : siteTablesText(report.siteTables)),
    ...report.views.map(viewText),
  ].join('\n');
}

function statusText(report: StatusReport): string {
  return [
    `${report.database} on ${report.server}`,
    `Applied: ${report.applied.map(({ name }) => name).join(', ') || 'nothing'}.`,
    `Not applied: ${report.pending.join(', ') || 'nothing'}.`,
    ...siteTablesText(report.siteTables),
    ...report.views.map(viewText),
  ].join('\n');
}

function rollbackText({ database, undone, viewsDropped }: RollbackReport): string {
  if (undone.length === 0) return `${database}: nothing to undo.`;
  return `${database}: undid ${undone.join(', ')}; views dropped: ${viewsDropped.join(', ') || 'none'}.`;
}

function siteTablesText(tables: readonly string[]): string[] {
  if (tables.length === 0) return [];
  return [`Named like tables of the reference schema, but the site's own, and left alone: ${tables.join(', ')}.`];
}

function viewText({ name, origin, made, mustLookLike }: ViewReport): string {
  if (origin === 'missing') return `${name}: missing. Recency needs it:\n${mustLookLike}`;
  return `${name}: ${origin === 'site' ? "the site's own" : made ? 'made' : 'as it was'}.`;
}
