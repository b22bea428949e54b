import { linePattern, type PageBlock } from '../support/page-blocks.ts';

/**
 * The blocks in one shell, so that what is exported or in the background lasts. It ends at the first that fails. What block N
 * prints is in the files N.out and N.err of $OUT; `started` there names the last one that was begun.
 */
export function scriptOf(blocks: readonly PageBlock[], database: string): string {
  const runs = blocks.flatMap(({ language, code }, place) => {
    const to = `>"$OUT/${place}.out" 2>"$OUT/${place}.err"`;
    const begin = `echo ${place} >"$OUT/started"`;
    if (language === 'sh') return [begin, `{\n${code}\n} ${to}`];
    return language === 'sql' ? [begin, `mysql ${database} ${to} <<'END_OF_SQL'\n${code}\nEND_OF_SQL`] : [];
  });
  return ['set -euo pipefail', "trap 'kill $(jobs -p); wait' EXIT", ...runs, ''].join('\n');
}

/** The lines that a page shows, `…` in them for anything, without those that the output has in this order. */
export function linesNotIn(output: string, shown: string): string[] {
  let rest = linesOf(output);
  return linesOf(shown).filter((line) => {
    if (line === '…') return false;
    const pattern = new RegExp(`^${linePattern(line)}$`);
    const place = rest.findIndex((one) => pattern.test(one));
    if (place !== -1) rest = rest.slice(place + 1);
    return place === -1;
  });
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
