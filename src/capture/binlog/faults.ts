import { UserError } from '../../contracts/user-error.ts';
import { CaptureGap } from '../change-source.ts';

/** The server does not let this account read the log. */
export class LogDenied extends UserError {
  override readonly name = 'LogDenied';

  override get remedy() {
    return 'As an administrator: GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* (MariaDB: REPLICATION SLAVE, BINLOG MONITOR) to the account of RECENCY_MYSQL_URL.';
  }
}

const DENIED = new Set([1045, 1142, 1227]);

/** The log, or the position in it, is not there: purged, reset, or of a server with another history. */
const NO_SUCH_POSITION = new Set([1236, 1373, 1789, 1945, 1955]);

/** Another connection with the same replica id has ended this one: try again with another id. */
const SAME_REPLICA = /same server_(?:uu)?id|server_uuid\/server_id/i;

const LOST_CONTROL = /^Control connection unavailable/;

/** What an error of the reader means: a gap, no permission, or that the source must be opened again. */
export function faultOf(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const { errno, code } = error as NodeJS.ErrnoException;
  const { message } = error;
  if (errno !== undefined && DENIED.has(errno))
    return new LogDenied(`MySQL refuses to send its binary log: ${message}`);
  if (errno !== undefined && NO_SUCH_POSITION.has(errno) && !SAME_REPLICA.test(message)) {
    return new CaptureGap('position', `MySQL does not have its binary log from the saved position on: ${message}`, {
      cause: error,
    });
  }
  if (code !== undefined || LOST_CONTROL.test(message)) return error;
  return new CaptureGap('unreadable', `the binary log has rows that cannot be read: ${message}`, { cause: error });
}
