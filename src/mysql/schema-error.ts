import { UserError } from '../contracts/user-error.ts';

/** Stable names of what can keep a schema from being made; the message says how to mend it. */
export type SchemaErrorCode =
  | 'bad_url'
  | 'unreachable'
  | 'access_denied'
  | 'database_missing'
  | 'server_too_old'
  | 'locked'
  | 'lock_lost'
  | 'site_tables'
  | 'newer_schema'
  | 'not_permitted'
  | 'failed';

/** Why the schema could not be looked at or changed. The message is for people: what is wrong and how to mend it; it holds no password. */
export class SchemaError extends UserError {
  override readonly name = 'SchemaError';
  readonly code: SchemaErrorCode;

  constructor(code: SchemaErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The error code of the driver or of the operating system, or ''. */
export function driverCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

const DENIED = new Set(['ER_TABLEACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR', 'ER_SPECIFIC_ACCESS_DENIED_ERROR']);

/** Turns whatever a statement threw into a SchemaError. The driver's message names the object, never the password. */
export function asSchemaError(error: unknown, user: string, database: string): SchemaError {
  if (error instanceof SchemaError) return error;
  const reason = error instanceof Error && 'sqlMessage' in error ? String(error.sqlMessage) : String(error);
  if (!DENIED.has(driverCode(error))) {
    return new SchemaError('failed', `The schema could not be brought up to date: ${reason}`, { cause: error });
  }
  return new SchemaError(
    'not_permitted',
    `MySQL does not let user "${user}" change the schema of "${database}": ${reason}. ` +
      `As an administrator: GRANT ALL ON \`${database}\`.* TO the user, or migrate as a user who has it.`,
    { cause: error },
  );
}
