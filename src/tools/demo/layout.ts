import { stripVTControlCharacters } from 'node:util';

const TIME_WIDTH = 8;
const LABEL_WIDTH = 11;
const TEXT_AT = TIME_WIDTH + 2 + LABEL_WIDTH;

/** Where there is no terminal to ask. */
const USUAL_WIDTH = 110;
const NARROWEST_TEXT = 40;

/** The time, the label and the text, each in its column; a long text goes on below itself. */
export function columnsOf(time: string, label: string, text: string, width?: number): string {
  const lines = wrapped(text, Math.max(NARROWEST_TEXT, (width || USUAL_WIDTH) - TEXT_AT));
  const first = `${padded(time, TIME_WIDTH, 'start')}  ${padded(label, LABEL_WIDTH, 'end')}`;
  return lines.map((line, i) => (i === 0 ? first : ' '.repeat(TEXT_AT)) + line).join('\n');
}

/** Numbers under one another; the first column is for whom they are about. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, i) => padded(cell, widths[i] ?? 0, i === 0 ? 'end' : 'start')).join('    ');
  return all.map((row) => `${' '.repeat(TEXT_AT)}${line(row)}`).join('\n');
}

/** At the spaces; a word that is too long stays whole. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** Colours take no room. @param side where the room is left */
function padded(text: string, width: number, side: 'start' | 'end'): string {
  const room = ' '.repeat(Math.max(0, width - stripVTControlCharacters(text).length));
  return side === 'start' ? room + text : text + room;
}

/** For people: 20000 as 20,000. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
