import { fc, it } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { openApiDocument } from '../../src/api/openapi-document.ts';
import { recentContactsRoute } from '../../src/api/routes/recent-contacts.ts';
import { isId } from '../../src/contracts/id.ts';
import { CONTACTS } from '../../src/contracts/kind.ts';
import { USUAL_SITE } from '../../src/site/site.ts';

const GREATEST = 2n ** 64n - 1n;

/** What the contract says an id is, in the plainest way. */
function isCanonical(text: string): boolean {
  if (!/^[0-9]+$/.test(text)) return false;
  const value = BigInt(text);
  return value >= 1n && value <= GREATEST && value.toString() === text;
}

const { operation } = recentContactsRoute(CONTACTS, undefined, { site: USUAL_SITE } as never, {} as never);
const document = openApiDocument([operation], '1') as unknown as {
  components: { schemas: { Id: { pattern: string } } };
};
const pattern = new RegExp(document.components.schemas.Id.pattern);

const around = (value: bigint) => [value - 1n, value, value + 1n].map(String);
const texts = fc.oneof(
  fc.bigInt({ min: -5n, max: 2n ** 70n }).map(String),
  fc.bigInt({ min: GREATEST - 10_000n, max: GREATEST + 10_000n }).map(String),
  // The greatest id with one digit changed, or cut, or one more.
  fc
    .tuple(fc.nat(19), fc.nat(9))
    .map(([at, digit]) => `${GREATEST}`.slice(0, at) + digit + `${GREATEST}`.slice(at + 1)),
  fc.tuple(fc.nat(21), fc.nat(9)).map(([length, digit]) => `${GREATEST}${digit}`.slice(0, length)),
  fc.stringMatching(/^[0-9]{0,22}$/),
  fc.string({ maxLength: 22 }),
);

describe('an id', () => {
  it.prop([texts], { numRuns: 20_000 })('is taken when the document allows it, and only then', (text) => {
    expect([text, isId(text), pattern.test(text)]).toEqual([text, isCanonical(text), isCanonical(text)]);
  });

  it.each([...around(0n), ...around(10n ** 19n), ...around(GREATEST), '01', '1\n', ' 1', '1e3', '１'])(
    'at the edges: %j',
    (text) => {
      expect([isId(text), pattern.test(text)]).toEqual([isCanonical(text), isCanonical(text)]);
    },
  );
});
