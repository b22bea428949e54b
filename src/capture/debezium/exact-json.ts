/** A number as the text has it: beyond 2^53 JavaScript would round. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const WHOLE = /^-?\d+$/;

/** JSON whose whole numbers that JavaScript cannot hold are {@link ExactNumber}s. @throws SyntaxError */
export function parseExact(text: string): unknown {
  // The third argument is in the language since 2025, and in Node 24, but not in TypeScript's library.
  const revive = (_key: string, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    const source = context?.source;
    return source !== undefined && WHOLE.test(source) ? new ExactNumber(source) : value;
  };
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown);
}
