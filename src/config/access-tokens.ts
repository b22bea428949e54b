import { z } from 'zod';

const SCOPES = ['read', 'write', 'admin'] as const;

/** What a token allows: reading answers, sending tasks, or inspecting and rebuilding indexes. */
export type Scope = (typeof SCOPES)[number];

export interface AccessToken {
  readonly token: string;
  readonly scopes: readonly Scope[];
}

/** Characters. A shorter token can be guessed by trying. */
const SHORTEST = 8;

/** `token:scope[,scope]`, separated by white space. Messages name a token by its number and never show it. */
export const accessTokens = z.string().transform((text, context): AccessToken[] => {
  const tokens = text.split(/\s+/).filter(Boolean).map(parse);
  for (const [i, { token, scopes }] of tokens.entries()) {
    const problem = problemOf(token, scopes) ?? (isRepeated(tokens, i) ? 'is repeated' : undefined);
    if (problem) context.issues.push({ code: 'custom', input: text, message: `is wrong: token ${i + 1} ${problem}` });
  }
  return tokens as AccessToken[];
});

/** The token ends at the last colon, so it may contain colons. */
function parse(entry: string): { token: string; scopes: string[] } {
  const end = entry.lastIndexOf(':');
  if (end === -1) return { token: entry, scopes: [] };
  return { token: entry.slice(0, end), scopes: entry.slice(end + 1).split(',') };
}

function problemOf(token: string, scopes: readonly string[]): string | undefined {
  if (scopes.length === 0) return 'names no scope (token:scope[,scope])';
  if (!scopes.every((scope) => (SCOPES as readonly string[]).includes(scope))) {
    return `names an unknown scope; there are ${SCOPES.join(', ')}`;
  }
  return token.length < SHORTEST ? `is shorter than ${SHORTEST} characters` : undefined;
}

function isRepeated(tokens: readonly { token: string }[], place: number): boolean {
  return tokens.findIndex(({ token }) => token === tokens[place]?.token) < place;
}
