import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSuspended, serverOn, suspendedToken, tokenOn } from '../../src/mysql/epoch-token.ts';
import { proofOf } from '../../src/mysql/session.ts';

const nonce = fc.stringMatching(/^[\w-]{8}$/);

describe('the token of an epoch', () => {
  it('names its server, suspended or not, and fits its column', () => {
    fc.assert(
      fc.property(fc.string(), nonce, (identity, fresh) => {
        const token = tokenOn(proofOf(identity), fresh);
        expect(serverOn(token)).toBe(proofOf(identity));
        expect(serverOn(suspendedToken(token))).toBe(proofOf(identity));
        expect([isSuspended(token), isSuspended(suspendedToken(token))]).toEqual([false, true]);
        expect(suspendedToken(token)).toMatch(/^[!\w-]{17}$/);
      }),
    );
  });

  it('names none where none is on record, and in version 0.1.0', () => {
    fc.assert(
      fc.property(nonce, (fresh) => {
        expect(serverOn(tokenOn(undefined, fresh))).toBeUndefined();
        expect(serverOn(suspendedToken(tokenOn(undefined, fresh)))).toBeUndefined();
      }),
    );
    for (const token of ['xN5-2bYz_0A', '!xN5-2bYz_0A']) expect(serverOn(token)).toBeUndefined();
  });
});
