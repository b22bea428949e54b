/** The data directory that a MariaDB server begins with: made once for each version in a checkout, and copied for each server. */
import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { keep } from './kafka-runtime.ts';
import { asRoot, findProgram, runProgram } from './machine.ts';

/** How often it is tried to make one. */
const ATTEMPTS = 2;

interface MariaDb {
  /** The server's program. */
  readonly program: string;
  /** What it says of its version. */
  readonly version: string;
}

/** Fills a data directory that does not exist yet. @throws with what the installer said */
export async function fillMariaDbData(folder: string, mariaDb: MariaDb, signal: AbortSignal): Promise<void> {
  const template = templateOf(mariaDb);
  for (let attempt = 1; !existsSync(template); attempt += 1) {
    await make(template, signal).catch((error: unknown) => {
      if (signal.aborted || attempt === ATTEMPTS) throw error;
    });
  }
  await cp(template, folder, { recursive: true });
}

function templateOf({ program, version }: MariaDb): string {
  const which = createHash('sha256')
    .update(`${realpathSync(program)} ${version}`)
    .digest('hex')
    .slice(0, 12);
  return resolve('.recency', `mariadb-data-${which}`);
}

/** Several processes may make it at once: the first one that is whole is kept. */
async function make(template: string, signal: AbortSignal): Promise<void> {
  const installer = findProgram('mariadb-install-db', 'mysql_install_db');
  if (installer === undefined)
    throw new Error('mariadb-install-db is not on the path: it belongs to the MariaDB server');
  await mkdir(dirname(template), { recursive: true });
  const unfinished = await mkdtemp(`${template}-`);
  try {
    const data = join(unfinished, 'data');
    // What begins in a folder for temporary tables deletes those that it finds there, also those of a server at work.
    const folders = ['--no-defaults', `--tmpdir=${unfinished}`, `--datadir=${data}`];
    // --force, because it refuses a machine that cannot resolve its own name, which nothing here needs.
    const options = ['--auth-root-authentication-method=normal', '--skip-test-db', '--force'];
    await runProgram(installer, [...folders, ...options, ...asRoot()], { signal, cwd: unfinished });
    await keep(data, template);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}
