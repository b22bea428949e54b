/** What the reference site's own tables say of a pair, in the words of the denormalised table. */

/** Whom a photo of each audience is shown, as bits of `sees`, and where `users` has the newest photo of the audience. */
const AUDIENCES = [
  { bit: 1, column: 'last_public_at', granted: 'TRUE' },
  { bit: 2, column: 'last_friends_at', granted: 'granted.is_friend' },
  { bit: 4, column: 'last_family_at', granted: 'granted.is_family' },
  { bit: 8, column: 'last_friends_family_at', granted: '(granted.is_friend OR granted.is_family)' },
] as const;

// A contact who was deleted has no photos; the row in `contacts` stays, inactive.
const newest = (column: string) => `COALESCE(users.${column}, 0)`;

const SEES = AUDIENCES.map(({ bit, granted }) => `IF(${granted}, ${bit}, 0)`).join(' | ');
const LAST_UPLOAD = `GREATEST(${AUDIENCES.map(({ column, granted }) => `IF(${granted}, ${newest(column)}, 0)`).join(', ')})`;

/** SQL: the row of a pair, of `contacts` and what is joined to it. The order of the columns is that of the table. */
export const TRUTH = {
  columns: `contacts.contact_id, contacts.user_id, IF(contacts.active, ${SEES}, 0), IF(contacts.active, ${LAST_UPLOAD}, 0)`,
  joins: `
    LEFT JOIN users ON users.id = contacts.contact_id
    LEFT JOIN contacts AS granted
      ON granted.user_id = contacts.contact_id AND granted.contact_id = contacts.user_id AND granted.active`,
} as const;

/** SQL: the newest upload that a row `d` of the denormalised table may see, of its owner's row in `users`. */
export const NEWEST_OF_OWNER = `GREATEST(${AUDIENCES.map(({ bit, column }) => `IF(d.sees & ${bit}, ${newest(column)}, 0)`).join(', ')})`;
