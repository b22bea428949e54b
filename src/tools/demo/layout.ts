import { stripVTControlCharacters } from 'node:util';

const TIME_WIDTH = 8;
const LABEL_WIDTH = 11;
const TEXT_AT = TIME_WIDTH + 2 + LABEL_WIDTH;

/** Used when the output is not a terminal. */
const USUAL_WIDTH = 110;
const NARROWEST_TEXT = 40;

/** Puts the time, the label and the text in columns and wraps the text in its column. */
export function columnsOf(time: string, label: string, text: string, width?: number): string {
  const lines = wrapped(text, Math.max(NARROWEST_TEXT, (width || USUAL_WIDTH) - TEXT_AT));
  const first = `${padded(time, TIME_WIDTH, 'start')}  ${padded(label, LABEL_WIDTH, 'end')}`;
  return lines.map((line, i) => (i === 0 ? first : ' '.repeat(TEXT_AT)) + line).join('\n');
}

/** Right-aligns the columns, except the first. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, i) => padded(cell, widths[i] ?? 0, i === 0 ? 'end' : 'start')).join('    ');
  return all.map((row) => `${' '.repeat(TEXT_AT)}${line(row)}`).join('\n');
}

/** Wraps at spaces; a word that is too long stays whole. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** Pads, ignoring colour codes. @param side where the spaces go */
function padded(text: string, width: number, side: 'start' | 'end'): string {
  const room = ' '.repeat(Math.max(0, width - stripVTControlCharacters(text).length));
  return side === 'start' ? room + text : text + room;
}

/** Formats 20000 as 20,000. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
