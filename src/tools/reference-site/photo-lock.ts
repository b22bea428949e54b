import type { PoolConnection, RowDataPacket } from 'mysql2/promise';
import type { Id } from '../../contracts/id.ts';
import { lockUser } from './last-uploads.ts';

const OWNER = 'SELECT owner_id FROM photos WHERE id = ?';
const PHOTO = 'SELECT audience, uploaded_at FROM photos WHERE id = ? FOR UPDATE';

/** Locks the photo's owner, as everybody who changes photos does, and then reads the photo as it is now. */
export async function lockPhoto(connection: PoolConnection, photo: Id) {
  const [[named]] = await connection.execute<RowDataPacket[]>(OWNER, [photo]);
  const owner = named === undefined ? undefined : String(named.owner_id);
  if (owner === undefined || !(await lockUser(connection, owner))) return undefined;
  const [[row]] = await connection.execute<RowDataPacket[]>(PHOTO, [photo]);
  return row && { owner, audience: Number(row.audience), uploadedAt: Number(row.uploaded_at) };
}
