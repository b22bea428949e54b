/** MySQL cannot be asked now: it is away, refuses, or did not answer in time. Nothing is wrong with the statement. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/** Every connection is in use, and none would be free in time. */
export class DatabaseBusy extends DatabaseUnavailable {}

/** As many heavy queries run as may, and those that wait would make one more wait too long. */
export class HeavyQueriesBusy extends DatabaseBusy {}

/** The server is not the primary on record: it takes no writes, or is another one. What was asked must not rest on its rows. */
export class DatabaseNotPrimary extends DatabaseUnavailable {}

/** MySQL ended a statement because its time was up: the server is there, and the question takes longer than that. */
export class StatementTooSlow extends Error {
  override readonly name = 'StatementTooSlow';
}
