import type { Pool, ResultSetHeader } from 'mysql2/promise';
import type { Id } from '../../contracts/id.ts';
import { type Audience, checkAudience, checkId, checkTime, SiteError } from './checks.ts';
import { lockUser, recomputeLastUploads } from './last-uploads.ts';
import { lockPhoto } from './photo-lock.ts';
import { deleteFromPools, showInPools } from './pools.ts';
import { inTransaction, leaveTask } from './transaction.ts';

const INSERT = 'INSERT INTO photos (owner_id, audience, uploaded_at, title) VALUES (?, ?, ?, ?)';
const DELETE = 'DELETE FROM photos WHERE id = ?';
const SHOW_TO = 'UPDATE photos SET audience = ? WHERE id = ?';

/**
 * A photo comes. Returns its id.
 * @param uploadedAt ms since 1970 UTC; in the past, for a photo whose upload is reported late
 * @throws SiteError bad_id, bad_audience, bad_time, unknown_user
 */
export async function uploadPhoto(
  pool: Pool,
  owner: Id,
  audience: Audience,
  uploadedAt: number,
  title = '',
): Promise<Id> {
  checkId('the owner', owner);
  checkAudience(audience);
  checkTime(uploadedAt);
  return await inTransaction(pool, async (connection) => {
    if (!(await lockUser(connection, owner))) throw new SiteError('unknown_user', `there is no user ${owner}`);
    const parameters = [owner, audience, uploadedAt, title];
    const [{ insertId }] = await connection.execute<ResultSetHeader>(INSERT, parameters);
    const photo = String(insertId);
    await recomputeLastUploads(connection, [owner]);
    await leaveTask(connection, { type: 'recency.photo.uploaded', owner, photo, at: uploadedAt });
    return photo;
  });
}

/** A photo goes. False: there was none. @throws SiteError bad_id */
export async function deletePhoto(pool: Pool, photo: Id): Promise<boolean> {
  checkId('the photo', photo);
  return await inTransaction(pool, async (connection) => {
    const found = await lockPhoto(connection, photo);
    if (found === undefined) return false;
    await deleteFromPools(connection, photo);
    await connection.execute(DELETE, [photo]);
    await recomputeLastUploads(connection, [found.owner]);
    await leaveTask(connection, { type: 'recency.photo.deleted', owner: found.owner, photo, at: found.uploadedAt });
    return true;
  });
}

/**
 * Others may see the photo from now on. False: there is no such photo, or the same may see it already.
 * @throws SiteError bad_id, bad_audience
 */
export async function changeVisibility(pool: Pool, photo: Id, audience: Audience): Promise<boolean> {
  checkId('the photo', photo);
  checkAudience(audience);
  return await inTransaction(pool, async (connection) => {
    const found = await lockPhoto(connection, photo);
    if (found === undefined || found.audience === audience) return false;
    const { owner, uploadedAt } = found;
    await connection.execute(SHOW_TO, [audience, photo]);
    await showInPools(connection, photo, audience);
    await recomputeLastUploads(connection, [owner]);
    await leaveTask(connection, { type: 'recency.photo.visibility_changed', owner, photo, at: uploadedAt });
    return true;
  });
}
