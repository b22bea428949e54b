/** What names of tables and columns say. They are compared as lower-case words: `post-user` and `postUser` are [post, user]. */

export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** The name in one form: `post-user` and `postUser` are `post_user`. */
export function plainName(name: string): string {
  return wordsOf(name).join('_');
}

/** `statuses` → `status`, `replies` → `reply`, `profiles` → `profile`. */
export function singular(word: string): string {
  if (/(ss|us|is)$/.test(word)) return word;
  if (/(ss|us|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.endsWith('s') ? word.slice(0, -1) : word;
}

/** The name in one form, its last word in the singular: `user_filters` → `user_filter`. */
export function singularName(name: string): string {
  const words = wordsOf(name);
  return [...words.slice(0, -1), singular(words.at(-1) ?? '')].join('_');
}

/** What an id column says that it identifies: `target_account_id` → `target_account`, `uid` → `user`; undefined: it is no id. */
export function stemOf(column: string): string | undefined {
  const name = plainName(column);
  if (name === 'uid') return 'user';
  if (name === 'cid') return 'contact';
  if (/^(created|uploaded|posted)_by$/.test(name)) return 'author';
  return /^(.+)_(?:uu?)?id$/.exec(name)?.[1];
}

/** People are kept in tables of these names; the first is the likeliest. */
export const PEOPLE = ['user', 'account', 'profile', 'member', 'person', 'people', 'author'];
