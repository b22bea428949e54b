/** The value of a key. Sorted sets are in Redis's order: by score, then by the bytes of the member. */
export type Value =
  | { readonly kind: 'list' } // of another application
  | { readonly kind: 'zset'; readonly members: readonly Member[] }
  | { readonly kind: 'string'; readonly text: string };

export interface Member {
  readonly member: string;
  readonly score: number;
}

interface Entry {
  readonly value: Value;
  /** ms since 1970; undefined: never. */
  readonly expiresAt: number | undefined;
}

/** The keys of one Redis. Values are immutable, so a copy is cheap. */
export class Keyspace {
  readonly #entries: Map<string, Entry>;
  /** ms since 1970: the server's clock. */
  readonly now: number;
  /** The largest size that a set has ever had here. */
  peak = 0;

  constructor(now: number, entries: ReadonlyMap<string, Entry> = new Map()) {
    this.now = now;
    this.#entries = new Map(entries);
  }

  copy(now = this.now): Keyspace {
    return new Keyspace(now, this.#entries);
  }

  keys(): string[] {
    return [...this.#entries.keys()].filter((key) => this.get(key) !== undefined).sort();
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry?.expiresAt !== undefined && entry.expiresAt <= this.now) return undefined;
    return entry?.value;
  }

  /** Keeps the key's expiry. An empty set deletes the key. */
  put(key: string, value: Value): void {
    const expiresAt = this.expiresAt(key);
    if (value.kind === 'zset') this.peak = Math.max(this.peak, value.members.length);
    if (isEmpty(value)) this.#entries.delete(key);
    else this.#entries.set(key, { value, expiresAt });
  }

  /** Did the key exist? */
  delete(key: string): boolean {
    const existed = this.get(key) !== undefined;
    this.#entries.delete(key);
    return existed;
  }

  /** ms since 1970; undefined: never, or the key does not exist. */
  expiresAt(key: string): number | undefined {
    return this.get(key) === undefined ? undefined : this.#entries.get(key)?.expiresAt;
  }

  /** A time in the past deletes the key, as in Redis. */
  expireAt(key: string, at: number): void {
    const value = this.get(key);
    if (value === undefined) return;
    if (at <= this.now) this.#entries.delete(key);
    else this.#entries.set(key, { value, expiresAt: at });
  }
}

/** Equal texts are equal contents. */
export function textOf(keyspace: Keyspace): string {
  return JSON.stringify(keyspace.keys().map((key) => [key, plainOf(keyspace.get(key)), keyspace.expiresAt(key)]));
}

function plainOf(value: Value | undefined): unknown {
  if (value?.kind === 'zset') return value.members.map(({ member, score }) => [member, score]);
  return value?.kind === 'string' ? value.text : value?.kind;
}

function isEmpty(value: Value): boolean {
  return value.kind === 'zset' && value.members.length === 0;
}
