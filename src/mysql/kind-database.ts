/**
 * One database, asked about one kind. The statements of this folder are written for contacts. For another kind the names of
 * the views and of their columns are replaced in the text, so that every question is written once and a kind needs no SQL of
 * its own. The texts are few and fixed and hold no data, so each is translated once.
 */
import type { PoolConnection } from 'mysql2/promise';
import { CONTACTS, type Kind } from '../contracts/kind.ts';
import type { AnswerDatabase } from './database.ts';
import { NOT_SELF } from './id-spaces.ts';

/** SQL: the name of the kind that the statement asks about. The comment is its mark: no other text of a statement is replaced by it. */
export const KIND_NAME = `'${CONTACTS.name}' /* the kind */`;

/** What a database of {@link ofKind} stands for. */
interface AskedAbout {
  /** The database that was given. */
  readonly server: AnswerDatabase;
  /** The name of the kind. */
  readonly kind: string;
}

const ASKED_ABOUT = new WeakMap<AnswerDatabase, AskedAbout>();

/** @returns for contacts the database itself: nothing is added to what it does */
export function ofKind<D extends AnswerDatabase>(database: D, kind: Kind): D {
  if (kind.name === CONTACTS.name) return database;
  const asking = proxied(database, translator(kind));
  ASKED_ABOUT.set(asking, { server: database, kind: kind.name });
  return asking;
}

/** Which database this is, and which kind it is asked about. */
export function askedAboutBy(database: AnswerDatabase): AskedAbout {
  return ASKED_ABOUT.get(database) ?? { server: database, kind: CONTACTS.name };
}

type Translate = (statement: string) => string;

/** The words of a statement about contacts, and those that stand for them. */
function wordsOf({
  name,
  view,
  idColumn,
  photosView,
  ownerColumn,
  areUsers,
  hasRelations,
  relationTasks,
}: Kind): Map<string, string> {
  const words = new Map<string, string>([
    [KIND_NAME, `'${name}'`],
    ...(areUsers ? [] : [[NOT_SELF, 'TRUE'] as const]),
    [CONTACTS.view, view],
    [CONTACTS.idColumn, idColumn],
    [CONTACTS.photosView, photosView],
    [CONTACTS.ownerColumn, ownerColumn],
    [CONTACTS.relationTasks.changed, relationTasks.changed],
  ]);
  // A view of a kind without relations lacks these columns: nobody is called a friend or family.
  return hasRelations ? words : words.set('c.is_friend', 'FALSE').set('c.is_family', 'FALSE').set('c.bits', '0');
}

const TRANSLATORS = new WeakMap<Kind, Translate>();

function translator(kind: Kind): Translate {
  const known = TRANSLATORS.get(kind) ?? newTranslator(kind);
  TRANSLATORS.set(kind, known);
  return known;
}

function newTranslator(kind: Kind): Translate {
  const words = wordsOf(kind);
  const known = [...words.keys()].map((word) => word.replaceAll(/[.*/]/g, '\\$&')).join('|');
  const pattern = new RegExp(`(?<!\\w)(${known})(?!\\w)`, 'g');
  const texts = new Map<string, string>();
  return (statement) => {
    const text = texts.get(statement) ?? statement.replace(pattern, (word) => words.get(word) ?? word);
    texts.set(statement, text);
    return text;
  };
}

/** A text, or the driver's form of it with options. */
type StatementText = string | { readonly sql: string };

function translated(statement: StatementText, translate: Translate): StatementText {
  return typeof statement === 'string' ? translate(statement) : { ...statement, sql: translate(statement.sql) };
}

/** The same object in everything else: its connections, its limits, and what it knows of the server. */
function proxied<T extends object>(target: T, translate: Translate): T {
  return new Proxy(target, {
    get: (of, name) => {
      const value: unknown = Reflect.get(of, name, of);
      if (typeof value !== 'function') return value;
      const call = value.bind(of) as (...args: unknown[]) => unknown;
      switch (name) {
        case 'rows':
        case 'write':
        case 'execute':
          return (statement: StatementText, ...rest: unknown[]) => call(translated(statement, translate), ...rest);
        case 'transaction':
          return (work: (connection: PoolConnection) => unknown, ...rest: unknown[]) =>
            call((connection: PoolConnection) => work(proxied(connection, translate)), ...rest);
        default:
          return call;
      }
    },
  });
}
