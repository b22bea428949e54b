import type { Kind } from '../../src/contracts/kind.ts';
import { viewWithoutUploads } from '../../src/tools/reference-site/without-uploads.ts';
import { sql } from './servers.ts';

/** Gives the views of these kinds the form of a site that has no column of the newest upload: it must be derived from the photos. */
export async function leaveOutUploads(url: string, kinds: readonly Kind[]): Promise<void> {
  for (const kind of kinds) {
    await sql(url, `CREATE OR REPLACE ALGORITHM=MERGE VIEW ${kind.view} AS ${viewWithoutUploads(kind)}`);
  }
}
