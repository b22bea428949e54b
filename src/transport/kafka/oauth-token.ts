import { exec } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The source of the SASL OAUTHBEARER token: a file that something else renews, or a command that prints it. */
type TokenSource = { readonly file: string } | { readonly command: string };

/** There is no token, or it has expired. There may be one later, so the error passes by itself (see errors.ts). The message holds no token. */
export class TokenUnavailable extends Error {
  override readonly name = 'TokenUnavailable';
  /** False, because kafkajs would retry on the same connection, whose broker waits for a token: ILLEGAL_SASL_STATE. */
  readonly retriable = false;
}

/** Timeout of the command, which may ask an identity provider, ms. */
const COMMAND_MS = 10_000;

/** A token that expires sooner than this is replaced, ms; longer than the margin with which kafkajs authenticates again. */
const RENEW_MS = 30_000;

/**
 * Returns the function that kafkajs calls for a token at each connection, and again before the brokers' session ends. The file is
 * read every time. The command runs once for all connections of the process, and again when less than a fifth of the token's
 * lifetime, or 30 s, is left. A token without an expiry (not a JWT with `exp`) is fetched every time.
 * @param now ms since 1970
 * @throws TokenUnavailable
 */
export function oauthTokens(source: TokenSource, now: () => number = Date.now): () => Promise<{ value: string }> {
  let kept: { readonly value: string; readonly renewAt: number } | undefined;
  let asking: Promise<string> | undefined;
  return async () => {
    if (kept !== undefined && now() < kept.renewAt) return { value: kept.value };
    asking ??= fetchToken(source).finally(() => {
      asking = undefined;
    });
    const value = await asking;
    const expiresAt = expiryOf(value);
    if (expiresAt !== undefined && expiresAt <= now()) {
      throw new TokenUnavailable(`the token of ${placeOf(source)} expired at ${new Date(expiresAt).toISOString()}`);
    }
    if ('command' in source && expiresAt !== undefined) {
      kept = { value, renewAt: expiresAt - Math.min(RENEW_MS, (expiresAt - now()) / 5) };
    }
    return { value };
  };
}

async function fetchToken(source: TokenSource): Promise<string> {
  const text = 'file' in source ? await readToken(source.file) : await printedBy(source.command);
  const token = text.trim();
  if (token === '' || /\s/.test(token))
    throw new TokenUnavailable(`${placeOf(source)} holds no token, or more than one`);
  return token;
}

function placeOf(source: TokenSource): string {
  return 'file' in source ? 'RECENCY_KAFKA_OAUTH_TOKEN_FILE' : 'RECENCY_KAFKA_OAUTH_TOKEN_COMMAND';
}

async function readToken(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new TokenUnavailable(`${placeOf({ file })} names a file that cannot be read (${reason})`);
  }
}

async function printedBy(command: string): Promise<string> {
  try {
    return (await promisify(exec)(command, { timeout: COMMAND_MS })).stdout;
  } catch (error) {
    // Neither the error's text nor the output: both may contain secrets.
    const { code, killed } = error as { code?: number; killed?: boolean };
    const reason = killed ? `gave no token within ${COMMAND_MS / 1000} s` : `failed with exit code ${code}`;
    throw new TokenUnavailable(`${placeOf({ command })} ${reason}`);
  }
}

/** When a JWT expires, ms since 1970; undefined if it does not say. The broker verifies the token. */
function expiryOf(token: string): number | undefined {
  try {
    const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined; // an opaque token
  }
}
