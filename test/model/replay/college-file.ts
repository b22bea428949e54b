import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * 59,835 private messages between 1,899 people of an online community, April to October 2004 (P. Panzarasa, T. Opsahl,
 * K. M. Carley, 2009; distributed by the SNAP collection): real people's real order of events. It is not part of
 * this project: COLLEGE_MSG names the file, or it is next to the checkout.
 */
const BESIDE = fileURLToPath(new URL('../../../../shared/data/CollegeMsg.txt.gz', import.meta.url));

/** The file's path; undefined: it is not available. */
export function collegeFile(): string | undefined {
  const file = process.env.COLLEGE_MSG ?? BESIDE;
  return existsSync(file) ? file : undefined;
}
