import type { Kind } from '../../src/contracts/kind.ts';
import { REFERENCE_VIEWS } from '../../src/mysql/reference-views.ts';
import { sql } from './servers.ts';

const COLUMN = /(?<=,)[^,()]*(?:GREATEST\([\s\S]*\)|\S+) AS last_upload_at,/;

/** Gives the views of these kinds the form of a site that has no column of the newest upload: it must be derived from the photos. */
export async function leaveOutUploads(url: string, kinds: readonly Kind[]): Promise<void> {
  for (const { view } of kinds) {
    const select = REFERENCE_VIEWS.get(view)?.select(new Set(['contacts.since'])) ?? '';
    const without = select.replace(COLUMN, '');
    if (without === select) throw new Error(`the reference view ${view} has no last_upload_at to leave out`);
    await sql(url, `CREATE OR REPLACE ALGORITHM=MERGE VIEW ${view} AS ${without}`);
  }
}
