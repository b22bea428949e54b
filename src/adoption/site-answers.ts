/** The finished views against the site's own SQL: for each user, whom the site shows and whom the views do. */
import type { Id } from '../contracts/id.ts';
import { UserError } from '../contracts/user-error.ts';
import type { ColumnValue } from '../mysql/database.ts';

/** The file is not one SELECT about a user. */
export class SiteSqlError extends UserError {
  override readonly name = 'SiteSqlError';

  override get kind() {
    return 'wrong_use' as const;
  }
}

/** The site's question, for one user at a time. */
export interface SiteSql {
  /** With a placeholder wherever the file has `:user`. */
  readonly statement: string;
  readonly placeholders: number;
}

/** @throws SiteSqlError */
export function parseSiteSql(text: string, file: string): SiteSql {
  const sql = text
    .replaceAll(/^\s*(--|#).*$/gm, '')
    .trim()
    .replace(/;$/, '');
  const placeholders = sql.match(/:user\b/g)?.length ?? 0;
  if (!/^(SELECT|WITH)\b/i.test(sql) || placeholders === 0) {
    throw new SiteSqlError(
      `${file} must have one SELECT, with :user where the user's id stands: its first column is the contact's id, a second one the time of the newest photo.`,
    );
  }
  return { statement: sql.replaceAll(/:user\b/g, '?'), placeholders };
}

/** What the views say of one contact. */
interface ViewedContact {
  readonly id: Id;
  readonly related: boolean;
  /** In ms; null or below 1: there is no photo that the user may see. */
  readonly lastUploadAt: bigint | null;
}

/** What one user sees on the site and not by the views, or the reverse. */
export interface UserDifference {
  readonly user: Id;
  readonly missing: readonly { readonly contact: Id; readonly why: 'no row' | 'not related' | 'no photo' }[];
  readonly extra: readonly Id[];
  readonly times: readonly { readonly contact: Id; readonly site: string; readonly views: string }[];
}

/** @param shown rows of the site's SQL @returns undefined: they agree */
export function differenceOf(
  user: Id,
  shown: readonly (readonly ColumnValue[])[],
  viewed: readonly ViewedContact[],
): UserDifference | undefined {
  const site = new Map(shown.map(([id, at]) => [String(id), at]));
  const inViews = new Map(viewed.filter(isShown).map((contact) => [contact.id, contact]));
  const missing = [...site.keys()]
    .filter((contact) => !inViews.has(contact))
    .map((contact) => ({ contact, why: reasonOf(viewed.filter(({ id }) => id === contact)) }));
  const extra = [...inViews.keys()].filter((contact) => !site.has(contact));
  const times = [...inViews.values()].flatMap(({ id, lastUploadAt }) => {
    const at = site.get(id);
    if (!site.has(id) || at === undefined || isSameTime(at, Number(lastUploadAt))) return [];
    return [{ contact: id, site: String(at), views: new Date(Number(lastUploadAt)).toISOString() }];
  });
  return missing.length + extra.length + times.length === 0 ? undefined : { user, missing, extra, times };
}

const hasPhoto = ({ lastUploadAt }: ViewedContact) => lastUploadAt !== null && lastUploadAt > 0n;
const isShown = (contact: ViewedContact) => contact.related && hasPhoto(contact);

function reasonOf(rows: readonly ViewedContact[]): UserDifference['missing'][number]['why'] {
  if (rows.length === 0) return 'no row';
  return rows.some(({ related }) => related) ? 'no photo' : 'not related';
}

/** A number counts ms; a DATETIME holds UTC, and may leave out the fraction of a second. */
function isSameTime(site: ColumnValue, views: number): boolean {
  const text = String(site);
  if (/^\d+(\.0+)?$/.test(text)) return Number(text) === views;
  const at = Date.parse(`${text.replace(' ', 'T').slice(0, 23)}Z`);
  return text.includes('.') ? at === views : at === views - (views % 1000);
}
