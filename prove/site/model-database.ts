import type { Id } from '../../src/contracts/id.ts';
import { byKeyDescending } from '../../src/contracts/key.ts';
import type { Database, Parameter } from '../../src/mysql/database.ts';
import { EpochsSeen } from '../../src/mysql/epochs-seen.ts';
import type { Snapshot } from './questions.ts';
import type { TruthRow } from './site.ts';

type Row = readonly (string | null)[];

/** Answers the statements of `candidates.ts`, `plain-contacts.ts` and `whole-lists.ts` of `mysql/statements`, all that answers need, from one snapshot. */
export class ModelDatabase {
  readonly #snapshot: Snapshot;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  readonly isReplica = false;

  readonly patience = { queue: 1, waitMs: 1_000 };

  /** The interface that the product uses. */
  get database(): Database {
    return this as unknown as Database;
  }

  /** The tokens of the model name no server, so any may answer. */
  readonly epochs = new EpochsSeen();

  async rows(statement: string, parameters: readonly Parameter[]): Promise<readonly Row[]> {
    const [first, ...rest] = parameters.map(String);
    if (statement.includes('AS candidate')) return this.#candidates(JSON.parse(String(first)) as Id[], String(rest[0]));
    if (statement.includes('JOIN (recency_contacts AS c) ON c.user_id = ?'))
      return this.#whole(String(first), Number(rest[0]));
    if (!statement.includes('FROM recency_contacts AS c'))
      throw new Error(`the model of MySQL does not know:${statement}`);
    return this.#plain(String(first), rest, statement);
  }

  #candidates(ids: readonly Id[], user: Id): Row[] {
    const { epoch, rows } = this.#snapshot;
    const found = rows.filter((row) => row.user === user && ids.includes(row.contact) && hasUpload(row));
    return proven(epoch, found.map(columns));
  }

  #whole(user: Id, limit: number): Row[] {
    const own = this.#snapshot.rows.filter((row) => row.user === user).slice(0, limit);
    return proven(
      this.#snapshot.epoch,
      own.map((row) => columns(row.related ? row : { ...row, at: 0 })),
    );
  }

  /** @param rest the limit, or the page's cursor and the limit */
  #plain(user: Id, rest: readonly string[], statement: string): Row[] {
    const below = rest.length > 1 ? { at: Number(rest[0]), id: String(rest[2]) } : undefined;
    const found = this.#snapshot.rows
      .filter((row) => row.user === user && hasUpload(row))
      .filter((row) => !statement.includes('c.is_family)') || row.isFriend)
      .filter((row) => !/AND c\.is_friend\b/.test(statement) || row.isFriend)
      .filter((row) => below === undefined || byKeyDescending(below, keyOf(row)) < 0)
      .sort((a, b) => byKeyDescending(keyOf(a), keyOf(b)))
      .slice(0, Number(rest.at(-1)))
      .map(columns);
    return proven(this.#snapshot.epoch, found);
  }
}

/** The primary on record, which takes writes. */
const PRIMARY = '0123456789ab0';

/** Rows in the form of every statement: before the epoch and the server's state, which are returned even without a row. */
function proven(epoch: string, rows: readonly Row[]): Row[] {
  const found = rows.length === 0 ? [[null, null, null, null, null]] : rows;
  return found.map((row) => [...row, epoch, PRIMARY]);
}

function hasUpload(row: TruthRow): boolean {
  return row.related && row.at > 0;
}

function keyOf(row: TruthRow) {
  return { id: row.contact, at: row.at };
}

function columns({ contact, at, isFriend }: TruthRow): Row {
  return [contact, String(at), isFriend ? '1' : '0', '0', '1'];
}
