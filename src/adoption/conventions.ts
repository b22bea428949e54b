/** Numbers and names whose meaning no schema tells, as widely used applications give it. */
import type { InspectedColumn, InspectedTable } from '../mysql/inspected-schema.ts';
import { plainName } from './names.ts';
import { columnNamed } from './tables.ts';

export interface Meanings {
  /** By the value in the column, as text: what it means. */
  readonly of: ReadonlyMap<string, string>;
  readonly why: string;
}

/** What the numbers of a column mean, when its comment says so: `0=public, 1=private, 2=unlisted`. */
export function meaningsInComment({ comment }: InspectedColumn): Meanings | undefined {
  const found = [...comment.matchAll(/(\d+)\s*[=:]\s*([\p{L}_-]+)/gu)];
  if (found.length < 2) return undefined;
  return { of: new Map(found.map(([, value = '', word = '']) => [value, word])), why: `its comment: ${comment}` };
}

const VISIBILITIES = ['public', 'unlisted', 'private', 'direct', 'limited'];

/** The numbers of `visibility` where posts can be boosted, as in Mastodon. */
export function visibilityNumbers(table: InspectedTable, column: InspectedColumn): Meanings | undefined {
  const isOfMastodon = plainName(column.name) === 'visibility' && columnNamed(table, ['reblog_of_id']) !== undefined;
  if (!isOfMastodon) return undefined;
  return {
    of: new Map(VISIBILITIES.map((word, number) => [String(number), word])),
    why: 'a number called visibility beside reblog_of_id: the numbers of Mastodon, 0 public to 4 limited',
  };
}

/** The kinds of relation in a table of contacts with rows of the user's own, as in Friendica: who shares with the user. */
export function sharingNumbers(table: InspectedTable, column: InspectedColumn): readonly string[] | undefined {
  return plainName(column.name) === 'rel' && columnNamed(table, ['self']) !== undefined ? ['2', '3'] : undefined;
}

/** Posts, not what answers or likes them, as in Friendica. */
export function isGravity({ name }: InspectedColumn): boolean {
  return plainName(name) === 'gravity';
}
