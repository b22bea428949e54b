import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** Was this module started as the program, and not imported by another? */
export function isMain(url: string): boolean {
  return process.argv[1] === fileURLToPath(url);
}
