import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { isSampled, isTraceparent, traceParentOf } from '../../src/tracing/trace-parent.ts';
import { foreignParent } from '../support/collector.ts';

const { traceparent, traceId, spanId } = foreignParent(7);

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''))
    .filter((digits) => !/^0+$/.test(digits));

describe('a traceparent', () => {
  test.prop([hex(32), hex(16), fc.integer({ min: 0, max: 255 })])(
    'is valid by W3C, and sampled by its flag',
    (trace, span, flags) => {
      const text = `00-${trace}-${span}-${flags.toString(16).padStart(2, '0')}`;
      expect(isTraceparent(text)).toBe(true);
      expect(isSampled({ traceparent: text })).toBe(flags % 2 === 1);
    },
  );

  it('of a later version may be longer', () => {
    expect(isTraceparent(`01-${traceId}-${spanId}-01-more`)).toBe(true);
  });

  it.each([
    ['is empty', ''],
    ['is of the forbidden version', traceparent.replace(/^00/, 'ff')],
    ['has no trace', traceparent.replace(traceId, '0'.repeat(32))],
    ['has no span', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['has capital letters', `00-${'A'.repeat(32)}-${spanId}-01`],
    ['is longer than its version', `${traceparent}-more`],
    ['has a line break', `${traceparent}\n`],
    ['is endless', `01-${traceId}-${spanId}-01-${'x'.repeat(300)}`],
  ])('is ignored if it %s', (_what, text) => {
    expect(traceParentOf({ traceparent: text, tracestate: 'a=b' })).toBeUndefined();
  });
});

describe('a tracestate', () => {
  it('goes with the traceparent, unless it is longer than must be passed on', () => {
    expect(traceParentOf({ traceparent, tracestate: 'a=b' })).toEqual({ traceparent, tracestate: 'a=b' });
    expect(traceParentOf({ traceparent, tracestate: `a=${'b'.repeat(512)}` })).toEqual({ traceparent });
    expect(traceParentOf({ tracestate: 'a=b' })).toBeUndefined();
  });
});
