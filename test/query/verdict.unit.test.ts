import { describe, expect, it } from 'vitest';
import { INDEX_CLASSES } from '../../src/contracts/drift.ts';
import type { Reading } from '../../src/index/contact-index.ts';
import type { ExplainedContact } from '../../src/mysql/statements/explained-contact.ts';
import {
  ANSWER_VERDICT_CODES,
  ANSWER_VERDICTS,
  type AnswerVerdict,
  answerVerdictOf,
  driftOf,
  RULES,
  VERDICT_CODES,
  VERDICTS,
  type VerdictCode,
  verdictOf,
} from '../../src/query/verdict.ts';

const EPOCH = 'e';
const CONTACT = '7';
const key = (id: string, at: number) => ({ id, at });

function warm(parts: Partial<Extract<Reading, { state: 'warm' }>> = {}): Reading {
  const head = [key('9', 90), key(CONTACT, 70), key('5', 50)];
  return {
    state: 'warm',
    nonce: 'n',
    epoch: EPOCH,
    head,
    size: head.length,
    floor: key('4', 40),
    lastUsed: 0,
    allowance: undefined,
    replicationId: 'r',
    ...parts,
  };
}

function row(parts: Partial<ExplainedContact> = {}): ExplainedContact {
  const flags = { isFriend: false, isFamily: false, related: true, isSelf: false };
  return { id: CONTACT, at: 70, ...flags, sees: '1', version: '1', above: 1, ...parts };
}

const without = warm({ head: [key('9', 90), key('5', 50)], size: 2 });

const CASES: [VerdictCode, Reading, ExplainedContact | undefined][] = [
  ['in_index', warm(), row()],
  ['score', warm(), row({ at: 71 })],
  ['ghost', warm(), undefined],
  ['ghost', warm(), row({ related: false })],
  ['ghost', warm(), row({ at: 0 })],
  ['ghost', warm(), row({ at: 39 })],
  ['ghost', warm({ floor: key(CONTACT, 70) }), row()],
  ['not_a_contact', without, undefined],
  ['own_self', without, row({ isSelf: true })],
  ['ghost', warm(), row({ isSelf: true })],
  ['no_longer_related', without, row({ related: false })],
  ['no_visible_upload', without, row({ at: 0 })],
  ['below_floor', without, row({ at: 39 })],
  ['below_floor', warm({ head: [], size: 0, floor: key('71', 70) }), row()],
  ['missing', without, row()],
  ['missing', warm({ head: [], size: 0, floor: undefined }), row()],
  ['hole', without, row({ at: 45 })],
  ['hole', warm({ head: [key('8', 70)], size: 1, floor: undefined }), row()],
  ['other_epoch', warm({ epoch: 'other' }), row()],
  ['cold', { state: 'cold' }, row()],
  ['building', { state: 'building' }, row()],
  ['torn', { state: 'torn' }, row()],
  ['wrong_type', { state: 'wrong_type' }, undefined],
];

describe('a verdict', () => {
  it.each(CASES)('%s: %j with %j', (verdict, reading, contactRow) => {
    expect(verdictOf(reading, EPOCH, contactRow, CONTACT)).toBe(verdict);
  });

  it('exists for every case, with a unique sentence', () => {
    const read = CASES.map(([verdict]) => verdict);
    expect(new Set([...read, 'small'])).toEqual(new Set(VERDICT_CODES)); // that a user is small, the answer says
    expect(new Set(Object.values(VERDICTS)).size).toBe(VERDICT_CODES.length);
  });

  it('is drift exactly when the index is not what MySQL says', () => {
    const limits = { max: 3, min: 2 };
    const drifts = VERDICT_CODES.filter((code) => driftOf(code, warm(), limits) !== undefined);
    expect([...drifts, 'cap', 'floor'].sort()).toEqual([...INDEX_CLASSES].sort());
    expect(driftOf('in_index', warm(), { max: 2, min: 1 })).toBe('cap');
    expect(driftOf('below_floor', warm(), { max: 5, min: 4 })).toBe('floor');
    expect(driftOf('below_floor', warm({ floor: undefined }), { max: 5, min: 4 })).toBeUndefined();
    expect(driftOf('other_epoch', warm(), { max: 2, min: 1 })).toBeUndefined();
    expect(driftOf('ghost', warm(), { max: 2, min: 1 })).toBe('ghost');
  });

  it('names the rule that a drift breaks, as the invariants are numbered', () => {
    const broken = Object.fromEntries(INDEX_CLASSES.map((drift) => [drift, RULES[drift].slice(0, 2)]));
    expect(broken).toEqual({
      ...{ missing: 'I1', ghost: 'I1', score: 'I1', cap: 'I2', floor: 'I2' },
      ...{ hole: 'I3', torn: 'I4', wrong_type: 'I4' },
    });
  });
});

const LIMIT = 3;

const ANSWER_CASES: [AnswerVerdict, ExplainedContact | undefined, boolean][] = [
  ['shown', row({ above: LIMIT - 1 }), true],
  ['left_out', row({ above: LIMIT - 1 }), false],
  ['further_down', row({ above: LIMIT }), false],
  ['not_wanted', row({ above: LIMIT }), true],
  ['not_a_contact', undefined, false],
  ['not_wanted', undefined, true],
  ['own_self', row({ isSelf: true, above: 0 }), false],
  ['not_wanted', row({ isSelf: true, above: 0 }), true],
  ['no_longer_related', row({ related: false, above: 0 }), false],
  ['not_wanted', row({ related: false, above: 0 }), true],
  ['no_visible_upload', row({ at: 0, above: 0 }), false],
];

describe('a verdict on the answer', () => {
  it.each(ANSWER_CASES)('%s: %j, shown: %j', (verdict, contactRow, shown) => {
    expect(answerVerdictOf(contactRow, shown, LIMIT)).toBe(verdict);
  });

  it('exists for every case, with a unique sentence', () => {
    expect(new Set(ANSWER_CASES.map(([verdict]) => verdict))).toEqual(new Set(ANSWER_VERDICT_CODES));
    expect(new Set(Object.values(ANSWER_VERDICTS)).size).toBe(ANSWER_VERDICT_CODES.length);
  });
});
