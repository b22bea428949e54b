import { readFileSync } from 'node:fs';

/** Recency's own version. The same file from `src/app` and from `dist/start`. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
