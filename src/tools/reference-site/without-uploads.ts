import type { Kind } from '../../contracts/kind.ts';
import { REFERENCE_VIEWS } from '../../mysql/reference-views.ts';

const COLUMN = /(?<=,)[^,()]*(?:GREATEST\([\s\S]*\)|\S+) AS last_upload_at,/;

/**
 * The view of a kind as a site has it that keeps no column of the newest upload, so that it must be derived from the photos.
 * @returns the text of the SELECT
 * @throws Error when the reference schema has no view of the kind, or the view no such column
 */
export function viewWithoutUploads({ view }: Pick<Kind, 'view'>): string {
  const select = REFERENCE_VIEWS.get(view)?.select(new Set(['contacts.since'])) ?? '';
  const without = select.replace(COLUMN, '');
  if (without === select) throw new Error(`the reference view ${view} has no last_upload_at to leave out`);
  return without;
}
