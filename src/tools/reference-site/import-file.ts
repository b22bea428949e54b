import { checkSchema } from '../../app/check-mysql.ts';
import { mysqlAddress, mysqlTls } from '../../app/open-mysql.ts';
import { withPrimary } from '../../app/stores.ts';
import { type ImportCounts, type ImportOptions, importEdges } from './import-edges.ts';
import { openSitePool } from './transaction.ts';

/** Imports a temporal edge list into the reference schema. @throws ConfigError, StartError, SiteError */
export async function importFile(file: string, options: ImportOptions): Promise<ImportCounts> {
  return await withPrimary(async ({ config, primary }) => {
    const { mysqlUrl } = config;
    await checkSchema(primary, mysqlAddress(mysqlUrl).user);
    const pool = openSitePool(mysqlUrl, 1, mysqlTls(config));
    return await importEdges(pool, file, options).finally(() => pool.end());
  }, options.signal);
}
