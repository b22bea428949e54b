/**
 * Triggers that write the outbox, as text for people to read and run: for a site whose binary log may not be read. They do
 * what capture does with the same mapping (capture/hints.ts): the ids of both images, `when`, the columns that count.
 *
 * What they must not do is get in the way of the site's own writes:
 * - Each task is an INSERT … VALUES. An INSERT … SELECT takes the table's AUTO-INC lock where innodb_autoinc_lock_mode is 1
 *   (MariaDB's default) and keeps it to the end of the site's whole statement, so two bulk statements deadlock.
 * - An id in another table is read by a cursor, which takes no lock; a scalar subquery or SET would lock the row. Only where
 *   the transaction's snapshot does not have the row yet is it read again, with a shared lock.
 */
import { createHash } from 'node:crypto';
import type { Value } from '../capture/change-source.ts';
import {
  countedColumns,
  type HintSource,
  idColumns,
  idSourceOf,
  type Lookup,
  type Mapping,
  type TableMapping,
  type TableName,
  tableKey,
} from '../capture/mapping.ts';
import { literal, quoted } from '../mysql/inspect-schema.ts';

type RowEvent = 'INSERT' | 'UPDATE' | 'DELETE';
type Image = 'NEW' | 'OLD';

const EVENTS: readonly RowEvent[] = ['INSERT', 'UPDATE', 'DELETE'];
const IMAGES: Readonly<Record<RowEvent, readonly Image[]>> = {
  INSERT: ['NEW'],
  UPDATE: ['NEW', 'OLD'],
  DELETE: ['OLD'],
};

/**
 * A trigger keeps the mode of the session that creates it. In this one a backslash in a text is what it is written for, and a
 * value that does not fit becomes a hint too many instead of an error in the site's own statement.
 */
const MODE = "SET SESSION sql_mode = ''";

/** @param outbox the database that has Recency's tables @returns a DROP and a CREATE for each trigger, in order */
export function triggerStatements(mapping: Mapping, outbox: string): string[] {
  const statements = eachTrigger(mapping, (table, entries, event) => {
    const body = entries.map((entry) => entryText(entry, event, outbox)).join('\n');
    const on = `${quoted(table.schema)}.${quoted(table.table)}`;
    return [
      dropText(table, event),
      `CREATE TRIGGER ${nameOf(table, event)} AFTER ${event} ON ${on} FOR EACH ROW\nBEGIN\n${indented(body)}\nEND`,
    ];
  });
  return [MODE, ...statements];
}

/** What removes them. */
export function dropStatements(mapping: Mapping): string[] {
  return eachTrigger(mapping, (table, _entries, event) => [dropText(table, event)]);
}

type Write = (table: TableName, entries: readonly TableMapping[], event: RowEvent) => string[];

function eachTrigger({ tables }: Mapping, write: Write): string[] {
  const keys = [...new Set(tables.map(tableKey))];
  return keys.flatMap((key) => {
    const entries = tables.filter((entry) => tableKey(entry) === key);
    const [table] = entries;
    return table === undefined ? [] : EVENTS.flatMap((event) => write(table, entries, event));
  });
}

function dropText(table: TableName, event: RowEvent): string {
  return `DROP TRIGGER IF EXISTS ${nameOf(table, event)}`;
}

/** MySQL's longest name, in characters. */
const LONGEST_NAME = 64;

/** A trigger is in the schema of its table. */
function nameOf({ schema, table }: TableName, event: RowEvent): string {
  const name = `recency_${event.toLowerCase()}_${table}`;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  const short = name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME - 9)}_${digest}`;
  return `${quoted(schema)}.${quoted(short)}`;
}

/** Tasks of one entry of the mapping. */
function entryText(entry: TableMapping, event: RowEvent, outbox: string): string {
  const counted = event === 'UPDATE' ? countedColumns(entry) : undefined;
  const meets = IMAGES[event].map((image) =>
    [...entry.when].map(([column, values]) => isOneOf(image, column, values)).join(' AND '),
  );
  const conditions = [
    ...(entry.when.size === 0 ? [] : [meets.map((one) => `(${one})`).join(' OR ')]),
    ...(counted === undefined ? [] : [counted.map(changed).join(' OR ')]),
  ];
  const emitted = IMAGES[event].map((image) => imageText(entry.source, event, image, outbox));
  if (conditions.length === 0) return emitted.join('\n');
  return `IF ${conditions.map((one) => `(${one})`).join(' AND ')} THEN\n${indented(emitted.join('\n'))}\nEND IF;`;
}

function isOneOf(image: Image, column: string, values: readonly Value[]): string {
  const name = `${image}.${quoted(column)}`;
  const all = values.map((value) => `${name} <=> ${value === null ? 'NULL' : literal(String(value))}`);
  return `(${all.join(' OR ')})`;
}

/** Byte by byte: a collation may take `Private` for `private`. */
function changed(column: string): string {
  return `NOT (CAST(OLD.${quoted(column)} AS BINARY) <=> CAST(NEW.${quoted(column)} AS BINARY))`;
}

function imageText(source: HintSource, event: RowEvent, image: Image, outbox: string): string {
  const isSecond = event === 'UPDATE' && image === 'OLD';
  const moved = isSecond ? [`(${idColumns(source).map(changed).join(' OR ')})`] : [];
  const type = taskType(source, event);
  if (source.of === 'relation') {
    const [user, contact] = [source.user, source.contact].map((column) => `${image}.${quoted(column)}`);
    const two = source.kind.areUsers ? [`${user} <> ${contact}`] : [];
    return ifText(
      [`${user} > 0`, `${contact} > 0`, ...two, ...moved],
      insertText(outbox, type, [`${user}`, `${contact}`]),
    );
  }
  const id = idSourceOf(source);
  if (typeof id === 'object') {
    const found = lookupText(id, image, {
      insert: insertText(outbox, type, ['id', 'NULL']),
      mayBeNew: event !== 'DELETE',
    });
    return ifText([`${image}.${quoted(id.equals)} IS NOT NULL`, ...moved], found);
  }
  const column = `${image}.${quoted(id ?? '')}`;
  return ifText([`${column} > 0`, ...moved], insertText(outbox, type, [column, 'NULL']));
}

function taskType(source: HintSource, event: RowEvent): string {
  if (source.of === 'user') return 'recency.user.changed';
  const { relationTasks, photoTasks } = source.kind;
  if (source.of === 'relation') {
    return { INSERT: relationTasks.added, UPDATE: relationTasks.changed, DELETE: relationTasks.removed }[event];
  }
  return { INSERT: photoTasks.added, UPDATE: photoTasks.visibilityChanged, DELETE: photoTasks.removed }[event];
}

function insertText(outbox: string, type: string, [user, other]: readonly string[]): string {
  return `INSERT INTO ${quoted(outbox)}.recency_outbox (type, user_id, other_id) VALUES (${literal(type)}, ${user}, ${other});`;
}

function ifText(conditions: readonly string[], then: string): string {
  return `IF ${conditions.join(' AND ')} THEN\n${indented(then)}\nEND IF;`;
}

interface Found {
  readonly insert: string;
  /** Another transaction may have committed the row after this one's snapshot. */
  readonly mayBeNew: boolean;
}

/** The ids in another table: none, one or several. */
function lookupText({ schema, table, key, equals, column }: Lookup, image: Image, { insert, mayBeNew }: Found): string {
  // With the table's alias: without it, a column called id would be the variable.
  const select =
    `SELECT DISTINCT looked_in.${quoted(column)} FROM ${quoted(schema)}.${quoted(table)} AS looked_in ` +
    `WHERE looked_in.${quoted(key)} = ${image}.${quoted(equals)}`;
  const loop = (cursor: string) =>
    [
      'SET done = FALSE;',
      `OPEN ${cursor};`,
      `FETCH ${cursor} INTO id;`,
      'WHILE NOT done DO',
      `  SET found = TRUE;\n  IF id > 0 THEN\n    ${insert}\n  END IF;\n  FETCH ${cursor} INTO id;`,
      `END WHILE;\nCLOSE ${cursor};`,
    ].join('\n');
  return [
    'BEGIN',
    '  DECLARE id BIGINT UNSIGNED;',
    '  DECLARE done, found BOOLEAN DEFAULT FALSE;',
    `  DECLARE seen CURSOR FOR ${select};`,
    ...(mayBeNew ? [`  DECLARE latest CURSOR FOR ${select} LOCK IN SHARE MODE;`] : []),
    '  DECLARE CONTINUE HANDLER FOR NOT FOUND SET done = TRUE;',
    indented(loop('seen')),
    ...(mayBeNew ? [indented(`IF NOT found THEN\n${indented(loop('latest'))}\nEND IF;`)] : []),
    'END;',
  ].join('\n');
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
