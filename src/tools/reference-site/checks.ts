import { type Id, isId } from '../../contracts/id.ts';
import { UserError } from '../../contracts/user-error.ts';

/** @throws SiteError bad_id */
export function checkId(name: string, value: unknown): Id {
  if (isId(value)) return value;
  const shown = JSON.stringify(value)?.slice(0, 80);
  throw new SiteError(
    'bad_id',
    `${name} is ${shown}, not an id: decimal digits from 1 to 18446744073709551615, as text`,
  );
}

/** @throws SiteError bad_id, self_contact */
export function checkPair(user: Id, contact: Id): void {
  checkId('the user', user);
  checkId('the contact', contact);
  if (user === contact) throw new SiteError('self_contact', `user ${user} cannot be a contact of their own`);
}

/** Who may see a photo: 0 everybody, 1 friends, 2 family, 3 friends or family, 4 only the owner. */
export type Audience = 0 | 1 | 2 | 3 | 4;

/** @throws SiteError bad_audience */
export function checkAudience(value: number): void {
  if (Number.isInteger(value) && value >= 0 && value <= 4) return;
  throw new SiteError('bad_audience', `the audience is ${value}, not one of 0, 1, 2, 3 and 4`);
}

/** @throws SiteError bad_time: not whole ms after 1970. */
export function checkTime(ms: number): void {
  if (Number.isSafeInteger(ms) && ms > 0) return;
  throw new SiteError('bad_time', `the time is ${ms}, not whole ms after 1970 UTC (1 to 9007199254740991)`);
}

export type SiteErrorCode =
  | 'bad_id'
  | 'bad_audience'
  | 'bad_time'
  | 'self_contact'
  | 'unknown_user'
  | 'unknown_group'
  | 'malformed_line'
  | 'unreadable_file';

/** An input that the site refuses; nothing of it was written. The message names what is wrong. */
export class SiteError extends UserError {
  override readonly name = 'SiteError';
  readonly code: SiteErrorCode;

  constructor(code: SiteErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
