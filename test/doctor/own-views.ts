/** Views of a site's own over the tables of the reference schema, without columns of last uploads. */

export function createContacts(join = '', where = ''): string {
  return `CREATE OR REPLACE ALGORITHM=MERGE VIEW recency_contacts AS
    SELECT c.user_id, c.contact_id, c.active = 1 AS related, 1 AS sees, c.is_friend, c.is_family, c.version
    FROM contacts AS c ${join} ${where}`;
}

/** @param audience SQL, of a photo `p` */
export function createPhotos(audience: string): string {
  return `CREATE OR REPLACE ALGORITHM=MERGE VIEW recency_photos AS
    SELECT p.id, p.owner_id, ${audience} AS audience, p.uploaded_at, p.title FROM photos AS p`;
}
