import { expect, it } from 'vitest';
import { States } from '../../src/timing/states.ts';

const LEADS = { open: ['closing', 'ended'], closing: ['ended'], ended: [] } as const;

it('is in one state at a time, and goes only where the table leads', () => {
  const states = new States<'open' | 'closing' | 'ended'>('open', LEADS);
  states.enter('closing');
  expect([states.now, states.is('open'), states.is('open', 'closing')]).toEqual(['closing', false, true]);
  expect(() => states.enter('open')).toThrow('nothing leads from closing to open');
  expect(states.now).toBe('closing');
  states.enter('ended');
  expect(() => states.enter('ended')).toThrow('nothing leads from ended to ended');
});
