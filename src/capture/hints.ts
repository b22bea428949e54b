/** Changes of rows → tasks, by the mapping. It does no I/O: what must be looked up in another table is asked for. */
import { type Id, isId } from '../contracts/id.ts';
import type { Task } from '../contracts/task.ts';
import { isUnchanged, type Row, type RowChange, type Value } from './change-source.ts';
import { isSameValue } from './column-types.ts';
import {
  countedColumns,
  idColumns,
  idSourceOf,
  type Lookup,
  type Mapping,
  type TableMapping,
  tableKey,
} from './mapping.ts';

/** A row has not the columns that the mapping names: its table was altered, or the mapping is wrong. */
export class ShapeMismatch extends Error {
  override readonly name = 'ShapeMismatch';
}

/** Ids that another table holds. */
interface WantedIds {
  readonly entry: TableMapping;
  readonly lookup: Lookup;
  /** What `lookup.key` must equal; each once. */
  readonly values: ReadonlyMap<string, string | Buffer>;
  /** What has happened to the rows that name them. */
  readonly kind: RowChange['kind'];
}

/**
 * The tasks that a batch of changes comes to: each pair, owner and user once, since tasks are hints without an order. What
 * the last change did gives the type.
 */
export class HintBatch {
  readonly #entries: ReadonlyMap<string, readonly TableMapping[]>;
  readonly #tasks = new Map<string, Task>();
  readonly #wanted = new Map<string, WantedIds & { values: Map<string, string | Buffer> }>();
  #oddIds = 0;

  constructor(entries: ReadonlyMap<string, readonly TableMapping[]>) {
    this.#entries = entries;
  }

  /** Ids that no task can have (0, negative, not a number): nothing is published for them. NULL names nobody and is none. */
  get oddIds(): number {
    return this.#oddIds;
  }

  /** @throws ShapeMismatch */
  add(change: RowChange): void {
    for (const entry of this.#entries.get(tableKey(change)) ?? []) {
      if (!counts(entry, change)) continue;
      for (const row of imagesOf(change)) this.#addRow(entry, row, change.kind);
    }
  }

  /** What must be looked up before `tasks` is complete. */
  get wanted(): readonly WantedIds[] {
    return [...this.#wanted.values()];
  }

  /** The ids that a look-up has found: the values of its `column`. */
  found({ entry, kind }: WantedIds, ids: readonly Value[]): void {
    for (const id of ids) this.#addId(entry, id, kind);
  }

  get tasks(): Task[] {
    return [...this.#tasks.values()];
  }

  #addRow(entry: TableMapping, row: Row, kind: RowChange['kind']): void {
    const { source } = entry;
    if (source.of === 'relation') {
      const [user, contact] = [this.#idOf(row[source.user]), this.#idOf(row[source.contact])];
      // Nobody is a contact of their own: such a row is in no index, and no task may name it.
      if (user === undefined || contact === undefined || (source.kind.areUsers && user === contact)) return;
      const { added, changed, removed } = source.kind.relationTasks;
      const type = { insert: added, update: changed, delete: removed }[kind];
      this.#put({ type, user, [source.kind.singular]: contact } as unknown as Task);
      return;
    }
    const id = idSourceOf(source);
    if (typeof id === 'object') this.#want(entry, id, row[id.equals], kind);
    else if (id !== undefined) this.#addId(entry, row[id], kind);
  }

  #addId({ source }: TableMapping, value: Value | undefined, change: RowChange['kind']): void {
    const id = this.#idOf(value);
    if (id === undefined || source.of === 'relation') return;
    if (source.of === 'user') {
      // Of a row that is gone too: it may have been a setting, or a mark of a suspension, of a user who is still there. A
      // user who is not has this task's effect as well, without the hour in which no build that was asked for earlier runs.
      this.#put({ type: 'recency.user.changed', user: id });
      return;
    }
    const { added, visibilityChanged, removed } = source.kind.photoTasks;
    const type = { insert: added, update: visibilityChanged, delete: removed }[change];
    this.#put({ type, [source.kind.ownerField]: id } as unknown as Task);
  }

  /** One task for all that name the same. */
  #put(task: Task): void {
    const { type, ...about } = task;
    this.#tasks.set(JSON.stringify([type.slice(0, type.lastIndexOf('.')), about]), task);
  }

  #want(entry: TableMapping, lookup: Lookup, value: Value | undefined, kind: RowChange['kind']): void {
    if (value === null || value === undefined) return;
    const key = JSON.stringify([entry.at, kind]);
    const wanted = this.#wanted.get(key) ?? { entry, lookup, values: new Map<string, string | Buffer>(), kind };
    if (Buffer.isBuffer(value)) wanted.values.set(`0x${value.toString('hex')}`, value);
    else wanted.values.set(String(value), String(value));
    this.#wanted.set(key, wanted);
  }

  #idOf(value: Value | undefined): Id | undefined {
    if (value === null || value === undefined) return undefined;
    const id = String(value);
    if (isId(id)) return id;
    this.#oddIds += 1;
    return undefined;
  }
}

/** Begins batches of changes. */
export function hintBatches(mapping: Mapping): () => HintBatch {
  const entries = new Map<string, TableMapping[]>();
  for (const entry of mapping.tables) entries.set(tableKey(entry), [...(entries.get(tableKey(entry)) ?? []), entry]);
  return () => new HintBatch(entries);
}

/** The row as it was and as it is: a key that changed concerns both. */
function imagesOf({ before, after }: RowChange): Row[] {
  return [before, after].filter((row) => row !== undefined);
}

/** Whether a change can concern anybody. @throws ShapeMismatch */
function counts(entry: TableMapping, change: RowChange): boolean {
  const images = imagesOf(change);
  for (const row of images) mustHave(row, entry);
  if (!images.some((row) => meets(row, entry))) return false;
  const { before, after } = change;
  const counted = before && after && countedColumns(entry);
  return counted === undefined || counted.some((column) => !isUnchanged(before?.[column], after?.[column]));
}

function meets(row: Row, { when }: TableMapping): boolean {
  return [...when].every(([column, values]) => values.some((value) => isSameValue(row[column] ?? null, value)));
}

function mustHave(row: Row, entry: TableMapping): void {
  for (const column of [...idColumns(entry.source), ...entry.when.keys(), ...(entry.columns ?? [])]) {
    if (row[column] !== undefined) continue;
    const { schema, table, at } = entry;
    throw new ShapeMismatch(`a changed row of ${schema}.${table} has no column ${column}, which ${at} names`);
  }
}
