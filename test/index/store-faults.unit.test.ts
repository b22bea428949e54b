import { constants } from 'node:os';
import { describe, expect, it } from 'vitest';
import { isolateFailures } from '../../src/index/set-aside.ts';
import {
  answersAtOnce,
  concernsAll,
  isStoreFault,
  type StoreFault,
  storeFaultOf,
} from '../../src/index/store-fault.ts';
import { DatabaseBusy, DatabaseUnavailable, StatementTooSlow } from '../../src/mysql/database.ts';
import { EpochMissing } from '../../src/mysql/epoch.ts';
import { asThrown } from '../../src/mysql/faults.ts';
import { RedisUnavailable, reply } from '../../src/redis/unavailable.ts';
import { isPassing } from '../../src/transport/kafka/errors.ts';

/** Errors as mysql2 creates them; a number that it does not know has no code. */
function mysql(errno: number, sqlState: string, code?: string): Error {
  return Object.assign(new Error('said MySQL'), {
    errno,
    sqlState,
    sqlMessage: 'said MySQL',
    ...(code ? { code } : {}),
  });
}

/** As mysql2 creates them without the server. */
const client = (code: string) =>
  Object.assign(new Error(code), { code, ...(code === 'DEADLINE' ? {} : { fatal: true }) });

/** As Node creates them. */
const system = (code: string, syscall: string) => Object.assign(new Error(`${syscall} ${code}`), { code, syscall });

function redis(message: string): Error {
  return Object.assign(new Error(message), { name: 'ReplyError' });
}

const unavailable = (cause: Error) => new DatabaseUnavailable('MySQL is not available', { cause });

const FAULTS: readonly [string, Error, StoreFault | undefined][] = [
  ['a refused connection', system('ECONNREFUSED', 'connect'), 'away'],
  ['a connection that was reset', system('ECONNRESET', 'read'), 'session'],
  ['an unknown way to sign in', client('AUTH_SWITCH_PLUGIN_ERROR'), 'setup'],
  ['too many connections', mysql(1040, '08004', 'ER_CON_COUNT_ERROR'), 'away'],
  ['a shutdown', mysql(1053, '08S01', 'ER_SERVER_SHUTDOWN'), 'away'],
  ['a read-only server', mysql(1290, 'HY000', 'ER_OPTION_PREVENTS_STATEMENT'), 'away'],
  ['a node outside of its Galera cluster', mysql(1047, '08S01', 'ER_UNKNOWN_COM_ERROR'), 'away'],
  ['a Galera node that left its cluster before the commit', mysql(1180, 'HY000', 'ER_ERROR_DURING_COMMIT'), 'away'],
  ['a deadlock', mysql(1213, '40001', 'ER_LOCK_DEADLOCK'), 'away'],
  ['a lock waited for too long', mysql(1205, 'HY000', 'ER_LOCK_WAIT_TIMEOUT'), 'away'],
  ['a counter that others have', mysql(1467, 'HY000', 'ER_AUTOINC_READ_FAILED'), 'away'],
  ['a full disk', mysql(1021, 'HY000', 'ER_DISK_FULL'), 'away'],
  ['an exhausted pool', new DatabaseBusy('busy'), 'away'],
  ['a connection that broke twice', unavailable(client('PROTOCOL_CONNECTION_LOST')), 'away'],
  ['a connection that broke', client('PROTOCOL_CONNECTION_LOST'), 'session'],
  ['a connection closed just before', new Error("Can't add new command when connection is in closed state"), 'session'],
  ['an idle client', mysql(4031, 'HY000', 'ER_CLIENT_INTERACTION_TIMEOUT'), 'session'],
  ['a prepared statement that the server has forgotten', mysql(1243, 'HY000', 'ER_UNKNOWN_STMT_HANDLER'), 'session'],
  ['a missing table', mysql(1146, '42S02', 'ER_NO_SUCH_TABLE'), 'setup'],
  ['an unknown column', mysql(1054, '42S22', 'ER_BAD_FIELD_ERROR'), 'setup'],
  ['a view without its tables', mysql(1356, 'HY000', 'ER_VIEW_INVALID'), 'setup'],
  ['a table that may not be read', mysql(1142, '42000', 'ER_TABLEACCESS_DENIED_ERROR'), 'setup'],
  ['a wrong password', mysql(1045, '28000', 'ER_ACCESS_DENIED_ERROR'), 'setup'],
  ['a missing epoch', new EpochMissing(), 'setup'],
  ['a statement whose time was up on MariaDB', mysql(1969, '70100'), 'slow'],
  ['a statement whose time was up on MySQL', mysql(3024, 'HY000', 'ER_QUERY_TIMEOUT'), 'slow'],
  ['the same, as the database says it', new StatementTooSlow('too slow'), 'slow'],
  ['no answer in time', unavailable(client('DEADLINE')), 'slow'],
  ['a number out of range', mysql(1690, '22003', 'ER_DATA_OUT_OF_RANGE'), 'row'],
  ['a division by zero', mysql(1365, '22012', 'ER_DIVISION_BY_ZERO'), 'row'],
  ['a wrong value', mysql(1292, '22007', 'ER_TRUNCATED_WRONG_VALUE'), 'row'],
  ['a subquery with several rows', mysql(1242, '21000', 'ER_SUBQUERY_NO_1_ROW'), 'row'],
  ['text that is no JSON', mysql(3140, '22032', 'ER_INVALID_JSON_TEXT'), 'row'],
  ['a signal raised by a function', mysql(1644, '45000', 'ER_SIGNAL_EXCEPTION'), 'row'],
  ['a packet too large', mysql(1153, '08S01', 'ER_NET_PACKET_TOO_LARGE'), 'row'],
  ['a number of MySQL that nobody knows', mysql(9999, 'HY000'), 'unknown'],
  ['Redis away', new RedisUnavailable('away'), 'away'],
  ['Redis loading', redis('LOADING Redis is loading the dataset in memory'), 'away'],
  ['Redis full', redis("OOM command not allowed when used memory > 'maxmemory'."), 'away'],
  ['a replica', redis("READONLY You can't write against a read only replica."), 'away'],
  [
    'a replica, to a script',
    redis("READONLY You can't write against a read only replica. script: a1, on @user_script:29."),
    'away',
  ],
  [
    'a replica, caught by a script',
    redis("user_script:87: READONLY You can't write against a read only replica."),
    'away',
  ],
  [
    'Redis full, caught by a script',
    redis("user_script:87: OOM command not allowed when used memory > 'maxmemory'."),
    'away',
  ],
  [
    'Redis full, raised by a script',
    redis('ERR user_script:9: OOM command not allowed script: a1, on @user_script:9.'),
    'away',
  ],
  ['a master that became a replica', redis('UNBLOCKED force unblock from blocking operation'), 'away'],
  ['too many clients', redis('ERR max number of clients reached'), 'away'],
  ['no password', redis('NOAUTH Authentication required.'), 'setup'],
  [
    'no permission in a script',
    redis("ERR The user executing the script can't run this command or subcommand script: 3a8"),
    'setup',
  ],
  ['no permission', redis('NOPERM this user has no permissions to run the command'), 'setup'],
  ['a key that somebody else has taken', redis('WRONGTYPE Operation against a key'), 'setup'],
  ['a command that Redis does not know', redis("ERR unknown command 'FOO'"), 'setup'],
  [
    'a contact that a script refuses',
    redis('ERR user_script:31: apply: bad contact script: a1, on @user_script:31.'),
    'row',
  ],
  ['a row that a script refuses', redis('ERR user_script:38: replace: bad row script: a1, on @user_script:38.'), 'row'],
  ['limits that a script refuses', redis('ERR user_script:24: apply: bad arguments script: a1'), 'setup'],
  ['a reply that nobody knows', redis('ERR something new'), 'unknown'],
  ['a mistake in the program', new TypeError('undefined is not a function'), undefined],
];

describe('the fault of an error', () => {
  it.each(FAULTS)('%s', (_what, error, fault) => expect(storeFaultOf(error)).toBe(fault));

  it('concerns a store unless it is a row or unknown', () => {
    const isStores = (fault: StoreFault | undefined) => fault !== undefined && !['row', 'unknown'].includes(fault);
    for (const [what, error, fault] of FAULTS) expect([what, isStoreFault(error)]).toEqual([what, isStores(fault)]);
  });
});

describe('an error of the operating system', () => {
  const CODES = [...Object.keys(constants.errno), 'EAI_AGAIN', 'ENOTFOUND'];

  it('while connecting, or of a connection, is never the fault of the work, whatever its code', () => {
    expect(CODES.length).toBeGreaterThan(70);
    for (const code of CODES) {
      for (const syscall of ['connect', 'getaddrinfo', 'socket', 'bind', 'open']) {
        expect([code, syscall, storeFaultOf(system(code, syscall))]).toEqual([code, syscall, 'away']);
      }
      for (const syscall of ['read', 'write', 'shutdown']) {
        expect([code, syscall, storeFaultOf(system(code, syscall))]).toEqual([code, syscall, 'session']);
      }
      const both = new AggregateError([system(code, 'connect'), system(code, 'connect')]);
      expect([code, storeFaultOf(both)]).toEqual([code, 'away']);
    }
  });

  it('means that MySQL is not available, also to the caller of a database', () => {
    for (const code of CODES) expect(asThrown(system(code, 'connect'))).toBeInstanceOf(DatabaseUnavailable);
  });

  it('means that Redis is not available, and so does all else that is no reply', async () => {
    for (const code of CODES) {
      await expect(reply(Promise.reject(system(code, 'write')))).rejects.toBeInstanceOf(RedisUnavailable);
    }
    await expect(reply(Promise.reject(new Error('what ioredis may say one day')))).rejects.toBeInstanceOf(
      RedisUnavailable,
    );
    await expect(reply(Promise.reject(redis('ERR something new')))).rejects.toThrow(/^ERR something new$/);
  });

  it('passes by itself where Kafka was asked', () => {
    for (const code of CODES) expect([code, isPassing(system(code, 'connect'))]).toEqual([code, true]);
    expect(isPassing(new TypeError('a mistake in the program'))).toBe(false);
  });
});

describe('what concerns all work', () => {
  const yes = async () => true;
  const no = async () => false;

  it('is decided by whether the stores answer, if the error is inconclusive', async () => {
    for (const [what, error, fault] of FAULTS) {
      const asks = fault === undefined || fault === 'slow' || fault === 'unknown';
      const always = fault === 'away' || fault === 'session' || fault === 'setup';
      expect([what, await concernsAll(error, yes)]).toEqual([what, always]);
      expect([what, await concernsAll(error, no)]).toEqual([what, always || asks]);
    }
  });

  it('is assumed if an answer is late or missing', async () => {
    expect(await answersAtOnce([async () => 1, async () => 2])()).toBe(true);
    expect(await answersAtOnce([async () => 1, () => Promise.reject(new Error('away'))])()).toBe(false);
    expect(await answersAtOnce([() => new Promise(() => undefined)], 5)()).toBe(false);
  });
});

describe('setting aside', () => {
  const items = Array.from({ length: 100 }, (_, i) => i);
  const answers = async () => true;

  function failingOn(bad: readonly number[], error: () => Error) {
    const done = new Set<number>();
    const tried: number[] = [];
    const work = async (some: readonly number[]) => {
      tried.push(some.length);
      if (some.some((item) => bad.includes(item))) throw error();
      for (const item of some) done.add(item);
    };
    return { done, tried, work };
  }

  it('does everything in one step if nothing fails', async () => {
    const { done, tried, work } = failingOn([], () => new Error());
    expect(await isolateFailures(items, work, { answers })).toEqual([]);
    expect(tried).toEqual([100]);
    expect(done.size).toBe(100);
  });

  it('finds the items that fail by themselves, and does all others', async () => {
    const { done, tried, work } = failingOn([7, 93], () => mysql(1690, '22003'));
    const aside = await isolateFailures(items, work, { answers });
    expect(aside).toMatchObject([
      { item: 7, attempts: 3 },
      { item: 93, attempts: 3 },
    ]);
    expect(done.size).toBe(98);
    expect(tried.length).toBeLessThan(40);
  });

  it('retries slow work less often', async () => {
    const { work } = failingOn([7], () => new StatementTooSlow('too slow'));
    expect(await isolateFailures(items, work, { answers })).toMatchObject([{ item: 7, attempts: 2 }]);
  });

  it('does items that fail only in combination', async () => {
    const done: number[] = [];
    const work = async (some: readonly number[]) => {
      if (some.length > 10) throw new StatementTooSlow('too many');
      done.push(...some);
    };
    expect(await isolateFailures(items, work, { answers })).toEqual([]);
    expect(done).toEqual(items);
  });

  it('sets nothing aside while a store is unavailable or does not answer', async () => {
    const away = failingOn([7], () => new DatabaseUnavailable('away'));
    await expect(isolateFailures(items, away.work, { answers })).rejects.toThrow('away');
    const slow = failingOn([7], () => new StatementTooSlow('too slow'));
    await expect(isolateFailures(items, slow.work, { answers: async () => false })).rejects.toThrow('too slow');
  });

  it('ends at once at the signal', async () => {
    const { tried, work } = failingOn([7], () => new RangeError('no longer ours'));
    const isEnd = (error: unknown) => error instanceof RangeError;
    await expect(isolateFailures(items, work, { answers, isEnd })).rejects.toThrow('no longer ours');
    expect(tried).toEqual([100]);
  });
});
