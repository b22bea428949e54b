/** Who may see a photo: the site's values as audience numbers, and the bits of `sees` that show them. */
import type { InspectedColumn, InspectedTable } from '../mysql/inspected-schema.ts';
import { literal, quoted } from '../mysql/quoted.ts';
import { type Meanings, meaningsInComment, visibilityNumbers } from './conventions.ts';
import type { Guess } from './guess.ts';
import { plainName } from './names.ts';
import type { Samples } from './samples.ts';
import { columnNamed, enumValues, isInteger, isText } from './tables.ts';

/** Audience numbers. 0 to 4 are those of the reference schema. */
export const AUDIENCE = { everybody: 0, friends: 1, family: 2, friendsOrFamily: 3, owner: 4, followers: 5 } as const;

type AudienceName = keyof typeof AUDIENCE;

const MEANINGS: readonly (readonly [AudienceName, RegExp])[] = [
  ['everybody', /^(public|everyone|everybody|world|all|open|anyone|unlisted|quiet)$/],
  ['followers', /^(followers?(_only)?|contacts?(_only)?|subscribers?|protected)$/],
  ['friends', /^(friends?(_only)?|mutuals?)$/],
  ['family', /^family(_only)?$/],
  ['friendsOrFamily', /^friends?_(and_|or_)?family$/],
  ['owner', /^(me|self|only_me|owner|secret|direct|draft|archived?|limited|hidden|deleted|circle|story|chat|local)$/],
];

export interface SiteAudiences {
  /** SQL, of the photo's row. */
  readonly expression: string;
  /** Needs no column of its own: a constant. */
  readonly isConstant: boolean;
  readonly column: string | undefined;
  /** The audiences that occur. */
  readonly used: ReadonlySet<AudienceName>;
  readonly guess: Guess;
}

const COLUMNS = [
  'scope',
  'audience',
  'visibility',
  'privacy',
  'privacy_level',
  'viewable_by',
  'is_public',
  'public',
  'is_private',
  'private',
];

export function findAudiences(table: InspectedTable, samples: Samples): SiteAudiences {
  const column = columnNamed(table, COLUMNS);
  if (column === undefined) {
    const guess = `${AUDIENCE.everybody}: every photo is public`;
    const check = 'May everybody who has the owner as a contact see all of them?';
    return constant({ about: table.name, guess, why: 'no column looks like a visibility', check });
  }
  const comment = isInteger(column) ? (meaningsInComment(column) ?? visibilityNumbers(table, column)) : undefined;
  if (comment !== undefined) return byValue(table, column, comment.of, { why: comment.why, isText: false });
  if (isText(column)) return byText(table, column, samples);
  return isInteger(column) ? byNumber(table, column) : constant(undecided(table, column, 'its type is not known'));
}

/** Where every user has a copy of their own of whatever they may see. */
export function ownCopies(table: InspectedTable): SiteAudiences {
  const guess = `${AUDIENCE.everybody}: whoever has the row may see it`;
  return constant({ about: table.name, guess, why: 'a row is the copy of one user, who has been shown it' });
}

function constant(guess: Guess): SiteAudiences {
  const expression = String(AUDIENCE.everybody);
  return { expression, isConstant: true, column: undefined, used: new Set(['everybody']), guess };
}

function undecided({ name }: InspectedTable, column: InspectedColumn, why: string): Guess {
  return { about: `${name}.${column.name}`, guess: 'every photo is public', why, check: 'Who may see a photo?' };
}

function byText(table: InspectedTable, column: InspectedColumn, samples: Samples): SiteAudiences {
  const listed = enumValues(column);
  const sample = listed ? undefined : samples.of(table.name, column.name);
  const values = new Set([
    ...(listed ?? []),
    ...(sample?.values ?? []),
    ...(column.defaultValue ? [column.defaultValue] : []),
  ]);
  const why = listed
    ? 'the values of its ENUM'
    : `the values in its rows${sample?.isPartial ? ', not all of which were read' : ''}`;
  return byValue(table, column, new Map([...values].sort().map((value) => [value, value])), { why, isText: true });
}

interface ValueSource {
  readonly why: string;
  readonly isText: boolean;
}

function byValue(
  table: InspectedTable,
  column: InspectedColumn,
  meanings: Meanings['of'],
  { why, isText: isTextual }: ValueSource,
): SiteAudiences {
  const words = new Set([...meanings.values()].map(plainName));
  const audiences = new Map([...meanings].map(([value, word]) => [value, audienceOf(plainName(word), words)]));
  const known = [...audiences].filter((entry): entry is [string, AudienceName] => entry[1] !== undefined);
  const unknown = [...audiences].filter(([, audience]) => audience === undefined).map(([value]) => value);
  const shown = known.filter(([, audience]) => audience !== 'owner');
  const value = (text: string) => (isTextual ? literal(text) : text);
  const cases = shown.map(([text, audience]) => `WHEN ${value(text)} THEN ${AUDIENCE[audience]}`).join(' ');
  const text = known.map(([one, audience]) => `${one} → ${AUDIENCE[audience]}`).join(', ');
  const isPrivate = words.has('private');
  const notes = [
    ...(isPrivate
      ? [`Does "private" mean ${audienceOf('private', words) === 'followers' ? 'followers only' : 'the owner alone'}?`]
      : []),
    ...(unknown.length > 0 ? [`Who may see ${unknown.join(', ')}? They are shown to nobody.`] : []),
    ...(meanings.size === 0 ? ['There is no value yet: write one WHEN for each that the site writes.'] : []),
  ];
  return {
    expression:
      shown.length === 0 ? String(AUDIENCE.owner) : `CASE ${quoted(column.name)} ${cases} ELSE ${AUDIENCE.owner} END`,
    isConstant: shown.length === 0,
    column: column.name,
    used: new Set(known.map(([, audience]) => audience)),
    guess: {
      about: `${table.name}.${column.name}`,
      guess: `audiences ${text || 'unknown'}; whatever else → ${AUDIENCE.owner}, the owner alone`,
      why,
      check: notes.length === 0 ? undefined : notes.join(' '),
    },
  };
}

/** "private" means followers only where there is also what only some may see; otherwise the owner alone. */
function audienceOf(word: string, all: ReadonlySet<string>): AudienceName | undefined {
  if (word === 'private') return all.has('unlisted') && !all.has('followers') ? 'followers' : 'owner';
  return MEANINGS.find(([, pattern]) => pattern.test(word))?.[0];
}

/** A flag, or a number that nothing explains. */
function byNumber(table: InspectedTable, column: InspectedColumn): SiteAudiences {
  const name = plainName(column.name);
  const about = `${table.name}.${column.name}`;
  const { everybody, owner } = AUDIENCE;
  const flagged = (expression: string, guess: string, check?: string): SiteAudiences => ({
    ...{ expression, isConstant: false, column: column.name, used: new Set<AudienceName>(['everybody', 'owner']) },
    guess: { about, guess, why: 'its name and type', check },
  });
  const is = (number: number) => `CASE ${quoted(column.name)} WHEN ${number} THEN ${everybody} ELSE ${owner} END`;
  if (/public$/.test(name)) return flagged(is(1), `1 → ${everybody}, everybody; otherwise ${owner}, the owner alone`);
  if (/private$/.test(name)) return flagged(is(0), `0 → ${everybody}, everybody; otherwise ${owner}, the owner alone`);
  return flagged(
    is(0),
    `0 → ${everybody}, everybody; every other number → ${owner}, the owner alone`,
    'What do the numbers mean?',
  );
}
