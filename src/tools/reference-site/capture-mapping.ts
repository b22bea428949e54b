/** What `recency capture` goes by on the reference schema: contacts, and with `groups` the second kind as well. */
const CONTACTS = `version: 1
tables:
  - { table: contacts, hint: contact, user: user_id, contact: contact_id }
  - { table: photos, hint: photo, owner: owner_id, columns: [audience, uploaded_at, title] }
  - table: users
    hint: photo
    owner: id
    columns: [last_public_at, last_friends_at, last_family_at, last_friends_family_at]
`;

const GROUPS = `
  - { table: memberships, hint: group, user: user_id, group: group_id }
  - { table: user_groups, hint: group_photo, group: id, columns: [last_public_at] }
  - { table: group_pools, hint: group_photo, group: group_id }
  - table: photos
    hint: group_photo
    group: { table: group_pools, key: photo_id, equals: id, column: group_id }
    columns: [audience, uploaded_at, title]
`.replace(/^\n/, '');

export const CONTACTS_MAPPING = CONTACTS;
export const ALL_KINDS_MAPPING = CONTACTS + GROUPS;
