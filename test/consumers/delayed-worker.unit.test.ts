import { describe, expect, it } from 'vitest';
import { doDelayed } from '../../src/consumers/delayed-worker.ts';
import type { DelayedItem } from '../../src/index/delayed-work.ts';
import { inSequence } from '../../src/index/protocol.ts';

describe('delayed items', () => {
  it('re-check both sides of a relationship that was not visible yet', () => {
    const first = inSequence(doDelayed([recheck('10', '5', '2')], {})).next();
    expect(first.value).toEqual({ name: 'nonces', args: [['10', '5']] });
  });

  it('re-check each pair once, and wait for the newest of its versions', () => {
    const items = [recheck('10', '5', '2'), recheck('10', '5', '10'), recheck('5', '10', '3')];
    const operation = inSequence(doDelayed(items, {}));
    expect(operation.next().value).toEqual({ name: 'nonces', args: [['10', '5']] });
    expect(operation.next(['', 'n']).value).toEqual({
      name: 'pairs',
      args: [
        [
          { user: '10', contact: '5', version: '10' },
          { user: '5', contact: '10', version: '3' },
        ],
      ],
    });
  });
});

function recheck(user: string, contact: string, version: string): DelayedItem {
  return { kind: 'recheck', user, contact, version, attempt: 1 };
}
