import type { Pool } from 'mysql2/promise';

/** A third kind, with views of its own: the stores that users like. It is declared in tests and nowhere else. */
export const STORES = {
  name: 'stores',
  singular: 'store',
  view: 'recency_stores',
  idColumn: 'store_id',
  photosView: 'recency_store_photos',
  ownerColumn: 'store_id',
  ownerField: 'store',
  areUsers: false,
  hasRelations: false,
  relationTasks: { added: 'recency.store.liked', removed: 'recency.store.unliked', changed: 'recency.store.changed' },
  photoSingular: 'store_photo',
  photoTasks: {
    added: 'recency.store_photo.added',
    removed: 'recency.store_photo.removed',
    visibilityChanged: 'recency.store_photo.visibility_changed',
  },
} as const;

/** The site's tables, `liked` and `shop`, and the two views of the kind. */
export async function createStoreViews(pool: Pool): Promise<void> {
  await pool.query(
    'CREATE TABLE liked (user BIGINT UNSIGNED, store BIGINT UNSIGNED, active BOOLEAN, version BIGINT UNSIGNED, PRIMARY KEY (user, store), KEY (store, user))',
  );
  await pool.query('CREATE TABLE shop (id BIGINT UNSIGNED PRIMARY KEY, newest BIGINT NOT NULL)');
  await pool.query(`CREATE ALGORITHM=MERGE VIEW recency_stores AS
    SELECT liked.user AS user_id, liked.store AS store_id, liked.active AS related, shop.newest AS last_upload_at,
           1 AS sees, liked.version FROM liked STRAIGHT_JOIN shop ON shop.id = liked.store`);
  await pool.query(`CREATE ALGORITHM=MERGE VIEW recency_store_photos AS
    SELECT id, id AS store_id, 0 AS audience, newest AS uploaded_at, 'a title' AS title FROM shop WHERE newest > 0`);
}
