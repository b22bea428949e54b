/**
 * The statements about one kind. Each is compiled once, from what is known of the site and of the kind's views; when more becomes
 * known, once more.
 */
import type { Kind } from '../../contracts/kind.ts';
import {
  type FoundColumns,
  foundColumns,
  inBoth,
  type KindView,
  kindView,
  type ViewColumn,
  viewNames,
} from '../../site/kind-view.ts';
import type { Site } from '../../site/site.ts';
import type { AnswerDatabase, Database } from '../database.ts';
import { codeOf } from '../faults.ts';

/** Makes a statement: its text, and what reads its rows. */
export type Build<S> = (view: KindView) => S;

/** Takes a statement from those of a kind. */
export type Choose<S> = (known: Pick<KindStatements, 'of'>) => S;

export interface KindStatementsOptions {
  /** Answers have the columns `extra_…` of the views too, once {@link KindStatements.probe} has found them. */
  readonly passesOn?: boolean;
}

export class KindStatements {
  readonly kind: Kind;
  readonly #passesOn: boolean;
  #view: KindView;
  #found: FoundColumns | undefined;
  #compiled = new Map<Build<unknown>, unknown>();

  constructor(site: Pick<Site, 'relations'>, kind: Kind, { passesOn = false }: KindStatementsOptions = {}) {
    this.kind = kind;
    this.#passesOn = passesOn;
    this.#view = kindView(site, kind);
  }

  /** What is known now. */
  get view(): KindView {
    return this.#view;
  }

  /** From now on statements rely on this. */
  learn(more: Partial<Pick<KindView, 'cursors' | 'audiences' | 'since' | 'lastUpload' | 'extra'>>): void {
    const known = this.#view;
    const isNew = (Object.keys(more) as (keyof typeof more)[]).some((name) => more[name] !== known[name]);
    if (!isNew) return;
    this.#view = { ...known, ...more };
    this.#compiled = new Map();
  }

  /**
   * Finds out which columns the kind's views have on this server. A column that a second server lacks is not asked of either.
   * @throws DatabaseUnavailable
   */
  async probe(server: Pick<AnswerDatabase, 'rows'>): Promise<void> {
    const columns = await readColumns(server, viewNames([this.kind]));
    if (!columns.some(({ view }) => view === this.kind.view)) return; // there is no view yet: its first statement will say so
    const found = foundColumns(this.kind, columns);
    this.#found = this.#found === undefined ? found : inBoth(this.#found, found);
    const { since, lastUpload, extra } = this.#found;
    this.learn({ since, lastUpload, ...(this.#passesOn ? { extra: this.#known(extra) } : {}) });
  }

  /**
   * Asks with the statement that suits the views. A column that proves to be missing is looked for, and the statement is made
   * without it.
   * @param choose usually `(known) => known.of(build)`
   * @throws what `ask` throws
   */
  async asking<S, T>(server: AnswerDatabase, choose: Choose<S>, ask: (statement: S) => Promise<T>): Promise<T> {
    for (;;) {
      const view = this.#view;
      try {
        return await ask(choose(this));
      } catch (error) {
        if (codeOf(error) !== 'ER_BAD_FIELD_ERROR') throw error;
        if (view === this.#view) await this.probe(server);
        if (view === this.#view) throw error;
      }
    }
  }

  /** The statement that suits what is known. */
  of<S>(build: Build<S>): S {
    const statement = this.#compiled.has(build) ? (this.#compiled.get(build) as S) : build(this.#view);
    this.#compiled.set(build, statement);
    return statement;
  }

  /** The same object if they are the same, so that nothing is compiled again. */
  #known(extra: KindView['extra']): KindView['extra'] {
    return JSON.stringify(extra) === JSON.stringify(this.#view.extra) ? this.#view.extra : extra;
  }
}

/** A server, and the statements about one kind that it is asked. */
export interface KindDatabase<S extends AnswerDatabase = Database> {
  readonly server: S;
  readonly statements: KindStatements;
}

/** This server, for each kind in use. Nothing is known of its views yet. */
export function kindDatabases(site: Site, server: Database): KindDatabase[] {
  return site.kinds.map((kind) => ({ server, statements: new KindStatements(site, kind) }));
}

const VIEW_COLUMNS = `
  SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH FROM information_schema.COLUMNS
  WHERE TABLE_SCHEMA = DATABASE()
    AND TABLE_NAME IN (SELECT v.name FROM JSON_TABLE(?, '$[*]' COLUMNS (name VARCHAR(64) PATH '$')) AS v)
  ORDER BY TABLE_NAME, ORDINAL_POSITION`;

/** The columns of these views, in the order of each view. @throws DatabaseUnavailable */
export async function readColumns(
  server: Pick<AnswerDatabase, 'rows'>,
  views: readonly string[],
): Promise<ViewColumn[]> {
  const rows = await server.rows(VIEW_COLUMNS, [JSON.stringify(views)]);
  return rows.map(([view, name, type, length = null]) => ({
    ...{ view: String(view), name: String(name), type: String(type).toLowerCase() },
    length: length === null ? null : Number(length),
  }));
}
