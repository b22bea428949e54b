/** One of the two views through which Recency reads a site's data. */
export interface View {
  readonly name: string;
  /** Its columns, in order, and what each holds: the contract that a site's own view keeps. */
  readonly columns: Readonly<Record<string, string>>;
  /** The view over the reference tables, merged by the optimizer into every question. */
  readonly select: string;
}

// STRAIGHT_JOIN: with JOIN the optimizer may read all users first and look each up among a heavy user's contacts.
const CONTACTS: View = {
  name: 'recency_contacts',
  columns: {
    user_id: 'who has the contact',
    contact_id: 'who is the contact; one row a pair',
    related: 'true: a contact now; false: no longer one',
    last_upload_at:
      "the contact's newest existing photo that the user may see, ms since 1970 UTC as BIGINT; 0: there is none",
    sees: "bit k: the user may see the contact's photos of audience k",
    is_friend: 'the user calls the contact a friend',
    is_family: 'the user calls the contact family',
    version: 'grows with every change of the relationship',
  },
  select: `
    SELECT contacts.user_id,
           contacts.contact_id,
           contacts.active AS related,
           GREATEST(users.last_public_at,
                    IF(granted.is_friend, users.last_friends_at, 0),
                    IF(granted.is_family, users.last_family_at, 0),
                    IF(granted.is_friend OR granted.is_family, users.last_friends_family_at, 0)) AS last_upload_at,
           1 | IF(granted.is_friend, 2, 0) | IF(granted.is_family, 4, 0)
             | IF(granted.is_friend OR granted.is_family, 8, 0) AS sees,
           contacts.is_friend,
           contacts.is_family,
           contacts.version
    FROM contacts
    STRAIGHT_JOIN users ON users.id = contacts.contact_id
    LEFT JOIN contacts AS granted
      ON granted.user_id = contacts.contact_id AND granted.contact_id = contacts.user_id AND granted.active`,
};

const PHOTOS: View = {
  name: 'recency_photos',
  columns: {
    id: 'the photo',
    owner_id: 'whose it is',
    audience: '0 public, 1 friends, 2 family, 3 friends or family, 4 private',
    uploaded_at: 'ms since 1970 UTC as BIGINT',
    title: 'its title',
  },
  select: 'SELECT id, owner_id, audience, uploaded_at, title FROM photos',
};

export const VIEWS: readonly View[] = [CONTACTS, PHOTOS];

/** The columns of the reference tables that the views and the site's own writes use. */
export const REFERENCE_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  users: ['id', 'name', 'last_public_at', 'last_friends_at', 'last_family_at', 'last_friends_family_at'],
  contacts: ['user_id', 'contact_id', 'is_friend', 'is_family', 'active', 'version'],
  photos: ['id', 'owner_id', 'audience', 'uploaded_at', 'title'],
};

/**
 * The statement that makes the view over the reference tables. INVOKER, because a view with a definer stops working
 * when that account is dropped or a dump is restored elsewhere, and then nothing could be answered at all.
 */
export function createStatement(view: View): string {
  return `CREATE OR REPLACE ALGORITHM=MERGE SQL SECURITY INVOKER VIEW ${view.name} AS ${view.select.trim()}`;
}

/** For people: how a site's own view of this name must look. */
export function describeView(view: View): string {
  const width = Math.max(...Object.keys(view.columns).map((column) => column.length));
  const columns = Object.entries(view.columns).map(([column, meaning]) => `  ${column.padEnd(width)}  ${meaning}`);
  return [
    `CREATE ALGORITHM=MERGE VIEW ${view.name} (${Object.keys(view.columns).join(', ')}) AS SELECT …`,
    ...columns,
    'It must merge: no DISTINCT, GROUP BY, UNION, LIMIT or aggregate, and no subquery in the list of what it selects.',
  ].join('\n');
}
