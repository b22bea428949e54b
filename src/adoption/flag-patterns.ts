/** Names of columns that say whether a row counts, as widely used applications have them. */
import { plainName } from './tables.ts';

/** What a row is about; the same name means different things. */
export type RowKind = 'relation' | 'person' | 'photo';

export interface FlagPattern {
  readonly name: RegExp;
  readonly on: readonly RowKind[];
  /** What must hold for the row to count. */
  readonly must: 'be NULL' | 'not be NULL' | 'be 0' | 'be 1';
  readonly meaning: string;
}

const ANY: readonly RowKind[] = ['relation', 'person', 'photo'];

/** The first that fits a column is the one that counts. */
const PATTERNS: readonly FlagPattern[] = [
  { name: /^(deleted|removed|trashed)_(at|on)$/, on: ANY, must: 'be NULL', meaning: 'a soft delete' },
  { name: /^(is_)?(deleted|removed|trashed)$/, on: ANY, must: 'be 0', meaning: 'a soft delete' },
  {
    name: /^(suspended|banned|disabled|deactivated|blocked)_at$/,
    on: ['person'],
    must: 'be NULL',
    meaning: 'a suspended user',
  },
  {
    name: /^((is_)?(suspended|banned|disabled|deactivated|blocked)|account_(removed|expired))$/,
    on: ['person'],
    must: 'be 0',
    meaning: 'a suspended user',
  },
  { name: /^(is_)?(active|enabled)$/, on: ANY, must: 'be 1', meaning: 'whether it is in force' },
  { name: /^(is_)?spam$/, on: ['person', 'photo'], must: 'be 0', meaning: 'spam' },
  {
    name: /^(is_)?(accepted|approved|confirmed)$/,
    on: ['relation'],
    must: 'be 1',
    meaning: 'a private account must accept',
  },
  {
    name: /^(accepted|approved|confirmed)_at$/,
    on: ['relation'],
    must: 'not be NULL',
    meaning: 'a private account must accept',
  },
  { name: /^(is_)?pending$/, on: ['relation'], must: 'be 0', meaning: 'a request that was not accepted yet' },
  {
    name: /^(is_)?(blocked|muted|ignored|readonly|archived?)$/,
    on: ['relation'],
    must: 'be 0',
    meaning: 'a block or mute of this contact',
  },
  { name: /^(is_)?self$/, on: ['relation'], must: 'be 0', meaning: 'the user as a contact of their own' },
  {
    name: /^(ended|unfollowed|unfriended)_at$/,
    on: ['relation'],
    must: 'be NULL',
    meaning: 'the relationship has ended',
  },
  { name: /^(is_)?(visible|published)$/, on: ['photo'], must: 'be 1', meaning: 'whether it is shown' },
  { name: /^(is_)?(hidden|draft|archived?)$|^hide(_|$)/, on: ['photo'], must: 'be 0', meaning: 'whether it is shown' },
  {
    name: /^(in_)?reply_to(_(status|post|photo|item))?_id$|^in_reply_to$/,
    on: ['photo'],
    must: 'be NULL',
    meaning: 'an answer to something is no upload',
  },
  { name: /^(is_)?reply$/, on: ['photo'], must: 'be 0', meaning: 'an answer to something is no upload' },
  {
    name: /^(reblog|repost|boost|share|renote)(_of)?_id$/,
    on: ['photo'],
    must: 'be NULL',
    meaning: 'a boost of something is no upload',
  },
];

/** @returns undefined: the name says nothing about such a row */
export function flagPattern(kind: RowKind, column: string): FlagPattern | undefined {
  return PATTERNS.find(({ name, on }) => on.includes(kind) && name.test(plainName(column)));
}
