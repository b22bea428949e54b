/** Who may see a photo: the site's values as audience numbers, and the bits of `sees` that show them. */
import { type InspectedColumn, type InspectedTable, literal, quoted } from '../mysql/inspect-schema.ts';
import { type Meanings, meaningsInComment, visibilityNumbers } from './flags.ts';
import { type Guess, TODO } from './guess.ts';
import { foundIn, type Samples, valuesOf } from './samples.ts';
import { columnNamed, isInteger, isText, plainName } from './tables.ts';

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
  'access_id',
  'access',
  'viewable_by',
  'is_public',
  'public',
  'is_private',
  'private',
];

export function findAudiences(table: InspectedTable, samples: Samples): SiteAudiences {
  const column = columnNamed(table, COLUMNS);
  if (column === undefined) {
    const why = 'no column looks like a visibility';
    const check = `Who may see a photo? Write ${AUDIENCE.everybody} instead of ${TODO} if everybody may who has the owner as a contact.`;
    return constant(TODO, { about: table.name, guess: 'the audience of a photo', why, check, is: 'open' });
  }
  const comment = isInteger(column) ? (meaningsInComment(column) ?? visibilityNumbers(table, column)) : undefined;
  const found = foundIn(table, column, samples);
  if (comment !== undefined) return byValue(table, column, comment.of, { why: comment.why, isText: false, found });
  if (isText(column)) {
    const values = valuesOf(table, column, samples).map((value) => [value, value] as const);
    return byValue(table, column, new Map(values), { why: 'the words of its values', isText: true, found });
  }
  return byNumber(table, column, found);
}

/** Where every user has a copy of their own of whatever they may see. */
export function ownCopies(table: InspectedTable): SiteAudiences {
  const guess = `${AUDIENCE.everybody}: everybody who has the row is allowed to see it`;
  const why = 'a row is the copy of one user, who has been shown it';
  return constant(String(AUDIENCE.everybody), { about: table.name, guess, why });
}

function constant(expression: string, guess: Guess): SiteAudiences {
  return { expression, isConstant: true, column: undefined, used: new Set(['everybody']), guess };
}

interface ValueSource {
  readonly why: string;
  readonly isText: boolean;
  readonly found: string;
}

function byValue(
  table: InspectedTable,
  column: InspectedColumn,
  meanings: Meanings['of'],
  { why, isText: isTextual, found }: ValueSource,
): SiteAudiences {
  const words = new Set([...meanings.values()].map(plainName));
  const audiences = new Map([...meanings].map(([value, word]) => [value, audienceOf(plainName(word), words)]));
  const known = [...audiences].filter((entry): entry is [string, AudienceName] => entry[1] !== undefined);
  const unknown = [...audiences].filter(([, audience]) => audience === undefined).map(([value]) => value);
  const shown = known.filter(([, audience]) => audience !== 'owner');
  const value = (text: string) => (isTextual ? literal(text) : text);
  const cases = shown.map(([text, audience]) => `WHEN ${value(text)} THEN ${AUDIENCE[audience]}`).join(' ');
  const text = known.map(([one, audience]) => `${one} → ${AUDIENCE[audience]}`).join(', ');
  if (shown.length === 0) return undecided(table, column, found);
  const isPrivate = words.has('private');
  const notes = [
    ...(isPrivate
      ? [`Does "private" mean ${audienceOf('private', words) === 'followers' ? 'followers only' : 'the owner alone'}?`]
      : []),
    ...(unknown.length > 0 ? [`Who may see ${unknown.join(', ')}? They are shown to nobody.`] : []),
  ];
  return {
    expression: `CASE ${quoted(column.name)} ${cases} ELSE ${AUDIENCE.owner} END`,
    isConstant: false,
    column: column.name,
    used: new Set(known.map(([, audience]) => audience)),
    guess: {
      about: `${table.name}.${column.name}`,
      guess: `audiences ${text}; whatever else → ${AUDIENCE.owner}, the owner alone`,
      ...{ why, found },
      check: notes.length === 0 ? undefined : notes.join(' '),
    },
  };
}

/** Which values everybody sees is for a person to say; what has another one is for its owner alone. */
function undecided(table: InspectedTable, column: InspectedColumn, found: string): SiteAudiences {
  const { everybody, owner } = AUDIENCE;
  const name = quoted(column.name);
  return {
    expression: `CASE WHEN ${name} IN (${TODO}) THEN ${everybody} ELSE ${owner} END`,
    ...{ isConstant: false, column: column.name, used: new Set<AudienceName>(['everybody', 'owner']) },
    guess: {
      ...{ about: `${table.name}.${column.name}`, guess: 'who may see a photo', why: 'its name', found, is: 'open' },
      check: `Which values of ${column.name} may everybody see who has the owner as a contact? Others need a WHEN and an audience of their own, or stay with the owner alone.`,
    },
  };
}

/** "private" means followers only where there is also what only some may see; otherwise the owner alone. */
function audienceOf(word: string, all: ReadonlySet<string>): AudienceName | undefined {
  if (word === 'private') return all.has('unlisted') && !all.has('followers') ? 'followers' : 'owner';
  return MEANINGS.find(([, pattern]) => pattern.test(word))?.[0];
}

/** A flag, or a number that nothing explains. */
function byNumber(table: InspectedTable, column: InspectedColumn, found: string): SiteAudiences {
  const { everybody, owner } = AUDIENCE;
  const shown = /public$/.test(plainName(column.name)) ? 1 : /private$/.test(plainName(column.name)) ? 0 : undefined;
  if (shown === undefined) return undecided(table, column, found);
  const guess = `${shown} → ${everybody}, everybody; otherwise ${owner}, the owner alone`;
  return {
    expression: `CASE ${quoted(column.name)} WHEN ${shown} THEN ${everybody} ELSE ${owner} END`,
    ...{ isConstant: false, column: column.name, used: new Set<AudienceName>(['everybody', 'owner']) },
    guess: { about: `${table.name}.${column.name}`, guess, why: 'its name and type', found },
  };
}
