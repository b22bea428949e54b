import { describe, expect, it } from 'vitest';
import { Ledger } from '../../../src/tools/harness/push-ledger.ts';

const followersOf = (owner: string) => (owner === '9' ? ['1', '2'] : []);

const upload = (at: number, isVisible = true) => ({ owner: '9', at, isVisible, committedAt: at });

const told = (user: string, at: number, { notification = `n${user}-${at}`, after = 5 } = {}) => ({
  user,
  contact: '9',
  at,
  notification,
  receivedAt: at + after,
});

function ledgerOf(uploads: Parameters<Ledger['upload']>[0][], tellings: Parameters<Ledger['told']>[0][]) {
  const ledger = new Ledger();
  for (const one of uploads) ledger.upload(one);
  for (const one of tellings) ledger.told(one);
  return ledger;
}

describe('the account of what was uploaded and told', () => {
  it('misses nothing when every follower was told of the latest upload', () => {
    const ledger = ledgerOf([upload(10), upload(20)], [told('1', 10), told('1', 20), told('2', 20, { after: 7 })]);
    const { times, ...faults } = ledger.account(followersOf);
    expect(times.toSorted()).toEqual([5, 5, 7]);
    expect(faults).toEqual({ missed: 0, twice: 0, wrongIds: 0, notVisible: 0 });
  });

  it('misses a follower who was told of an earlier upload only, or of none', () => {
    expect(ledgerOf([upload(10), upload(20)], [told('1', 10)]).account(followersOf).missed).toBe(2);
  });

  it('expects nobody to be told of what nobody may see, and counts it when somebody is', () => {
    const uploads = [upload(10), upload(20, false)];
    const right = [told('1', 10), told('2', 10)];
    expect(ledgerOf(uploads, right).account(followersOf)).toMatchObject({ missed: 0, notVisible: 0 });
    expect(ledgerOf(uploads, [...right, told('2', 20)]).account(followersOf)).toMatchObject({
      missed: 0,
      notVisible: 1,
    });
  });

  it('allows the same upload twice under one id, counts its first delivery, and finds another id', () => {
    const uploads = [upload(10)];
    const first = [told('1', 10), told('2', 10)];
    const again = ledgerOf(uploads, [...first, told('1', 10, { after: 90 })]).account(followersOf);
    expect(again).toEqual({ times: [5, 5], missed: 0, twice: 1, wrongIds: 0, notVisible: 0 });
    const other = ledgerOf(uploads, [...first, told('1', 10, { notification: 'x' })]).account(followersOf);
    expect(other.wrongIds).toBe(1);
  });
});
