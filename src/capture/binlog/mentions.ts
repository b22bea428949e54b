/** Whether a text may mention a name, by whatever rules a server reads and compares names. */

/** Accents and other marks are left out: servers ignore them in the names of routines. */
function withoutMarks(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '');
}

/**
 * @param names as the server's catalogue has them
 * @returns false: none of them is in the text, whatever its quotes, its case, its accents and the characters beyond ASCII in it mean
 */
export function mentions(text: string, names: readonly string[]): boolean {
  const searched = withoutMarks(text);
  return names.some((name) => patternOf(name).test(searched));
}

/** A character beyond ASCII may be equal to any other one, as `ı` is to `i`. A quote in a quoted name is doubled. */
function patternOf(name: string): RegExp {
  const characters = Array.from(withoutMarks(name), (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code > 0x7f) return OTHER;
    const literal = `\\u{${code.toString(16)}}`;
    return `(?:${literal}${QUOTES.has(character) ? `${literal}?` : ''}|${OTHER})`;
  });
  return new RegExp(`(?<![\\w$])${characters.join('')}(?![\\w$])`, 'iu');
}

const OTHER = '[^\\x00-\\x7f]';
const QUOTES = new Set(['`', '"']);
