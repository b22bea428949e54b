/** Markup. Only `html` makes it, so text never becomes markup by mistake. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a template may contain: text is escaped, markup is not, `undefined` and `false` are nothing. */
export type HtmlPart = Html | string | number | undefined | false | readonly HtmlPart[];

/** A template of markup. Values are escaped, so they are safe in text and in quoted attributes, and nowhere else. */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(strings.reduce((text, string, i) => text + textOf(parts[i - 1]) + string));
}

function textOf(part: HtmlPart): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  return typeof part === 'object' ? part.map(textOf).join('') : escaped(String(part));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
