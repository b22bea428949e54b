import { UserError } from '../../contracts/user-error.ts';

export type SiteErrorCode =
  | 'bad_id'
  | 'bad_audience'
  | 'bad_time'
  | 'self_contact'
  | 'unknown_user'
  | 'malformed_line'
  | 'unreadable_file';

/** What the site refuses, and nothing of it was written. The message names what is wrong. */
export class SiteError extends UserError {
  override readonly name = 'SiteError';
  readonly code: SiteErrorCode;

  constructor(code: SiteErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
