import { describe, expect, it } from 'vitest';
import { ProgressDisplay, ProgressText } from '../../src/cli/progress-display.ts';

/** A clock that the test moves, in seconds. */
function clocked(unit = 'users') {
  const clock = { s: 0 };
  const progress = new ProgressText(unit, () => clock.s * 1_000);
  const at = (s: number, done: number, total?: number) => {
    clock.s = s;
    progress.update(done, total);
    return progress;
  };
  return { at, now: () => clock.s * 1_000, clock };
}

describe('how far a long command is', () => {
  it('is not shown as all before anything is known', () => {
    const { at } = clocked();
    for (const total of [undefined, 0]) {
      expect(at(0, 0, total).bar()).toBe('0 users');
      expect(at(0, 0, total).line()).toBe('0 users');
    }
  });

  it('is a share of the estimated total, and the time left at the mean pace', () => {
    const { at } = clocked();
    at(0, 0, 1_000);
    expect(at(10, 250, 1_000).bar()).toBe(`${'█'.repeat(7)}${'░'.repeat(23)} 25% | 250 of 1,000 users | 30 s left`);
    expect(at(10, 250, 1_000).line()).toBe('250 of 1,000 users, 25%, 25/s, 30 s left');
    expect(at(600, 750, 1_000).bar()).toMatch(/ 75% \| 750 of 1,000 users \| 3 min left$/);
  });

  it('has no pace where seconds are counted', () => {
    const { at } = clocked('seconds');
    at(0, 0, 15);
    expect(at(5, 5, 15).line()).toBe('5 of 15 seconds, 33%, 10 s left');
  });

  it('never goes back when the total was too low, and goes on from there', () => {
    const { at } = clocked();
    at(0, 0, 1_000);
    expect(at(10, 500, 1_000).bar()).toMatch(/ 50% /);
    expect(at(11, 550, 5_000).bar()).toMatch(/ 50% \| 550 of 5,000 users/);
    expect(at(60, 3_000, 5_000).bar()).toMatch(/ 60% /);
  });

  it('ends with all, however wrong the total was', () => {
    const { at } = clocked();
    at(0, 0, 1_000);
    expect(at(10, 510, 510).bar()).toMatch(/^█{30}100% \| 510 of 510 users \| 0 s left$/);
    expect(at(11, 1_200, 1_000).bar()).toMatch(/^█{30}100% \| 1,200 of 1,200 users/);
  });

  it('of resumed work counts the pace of this part alone', () => {
    const { at } = clocked();
    at(0, 9_000, 10_000);
    expect(at(10, 9_500, 10_000).line()).toBe('9,500 of 10,000 users, 95%, 50/s, 10 s left');
  });
});

describe('its display', () => {
  it('in a terminal is a bar on one line, which is removed', () => {
    const { now, clock } = clocked();
    const written: string[] = [];
    const terminal = { columns: 50, write: (text: string) => written.push(text) > 0 };
    const shown = new ProgressDisplay('users', { terminal, print: () => undefined, now });
    shown.update(0, 10);
    clock.s = 0.01;
    shown.update(1, 10);
    expect(written).toHaveLength(1);
    shown.update(10, 10);
    expect(written.at(-1)).toBe(`\r${'█'.repeat(30)}100% | 10 of 10 use\x1b[K`);
    shown.stop();
    shown.stop();
    expect(written.slice(2)).toEqual(['\r\x1b[K']);
  });

  it('elsewhere is a line now and then', () => {
    const { now, clock } = clocked();
    const lines: string[] = [];
    const shown = new ProgressDisplay('lines', { terminal: undefined, print: (line) => lines.push(line), now });
    for (const s of [0, 4, 5, 6, 11]) {
      clock.s = s;
      shown.update(s * 10);
    }
    shown.stop();
    expect(lines).toEqual(['50 lines, 10/s', '110 lines, 10/s']);
  });
});
