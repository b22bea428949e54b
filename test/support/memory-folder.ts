import { existsSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';

const IN_MEMORY = '/dev/shm';

/** The servers of a whole run keep about 3 GiB: hundreds of databases of some 2 MiB each, and the servers of single tests. */
const NEEDED_BYTES = 6 * 2 ** 30;

/**
 * The folder for the data of the tests' servers: in memory where there is room, because creating a table waits for the disk
 * several times. Otherwise the usual folder for temporary files.
 */
export function folderForServers(): string {
  return hasRoom() ? IN_MEMORY : tmpdir();
}

function hasRoom(): boolean {
  if (!existsSync(IN_MEMORY)) return false;
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return Math.min(bavail * bsize, freemem()) >= NEEDED_BYTES;
}
