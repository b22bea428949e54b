import { describe, expect, test } from 'vitest';
import type { FaultState } from '../../../../src/tools/demo/page/fault-desk.ts';
import { counterView } from '../../../../src/tools/demo/page/views/counter-view.ts';
import { faultsView } from '../../../../src/tools/demo/page/views/faults-view.ts';
import { raceView } from '../../../../src/tools/demo/page/views/race-view.ts';
import { siteView } from '../../../../src/tools/demo/page/views/site-view.ts';
import { storyView } from '../../../../src/tools/demo/page/views/story-view.ts';
import { wayView } from '../../../../src/tools/demo/page/views/way-view.ts';

const STATE: FaultState = {
  ...{ consumers: [{ name: 'consumer 2', pid: 7 }], killed: ['consumer 1'] },
  ...{ mayFlush: true, flushes: 0, broker: 'running' },
};

describe('what may be broken', () => {
  test('is each consumer, and what the demonstration has started itself', () => {
    const { text } = faultsView(STATE, true);
    for (const label of ['Kill consumer 2', 'Flush Redis', 'Stop the broker'])
      expect(text).toContain(`>${label}</button>`);
    expect(text).toContain('killed; another one is started in a moment');
    expect(text).not.toContain(' disabled');
  });

  test('is not what belongs to others', () => {
    const { text } = faultsView({ ...STATE, mayFlush: false, broker: 'none' }, true);
    expect(text).not.toMatch(/Flush|broker/);
    expect(text).toContain('others may use this server');
  });

  test('waits until the story has ended', () => {
    const { text } = faultsView(STATE, false);
    expect(text.match(/<button/g)?.length).toBe(text.match(/ disabled/g)?.length);
  });

  test('can be mended', () => {
    expect(faultsView({ ...STATE, broker: 'stopped' }, true).text).toContain('>Continue the broker</button>');
  });
});

describe('the other parts of the page', () => {
  test('the counter shows what was wrong, and escapes it', () => {
    const counts = { compared: 12_345, wrong: 1, notExact: 2, changed: 3, unanswered: 4 };
    const { text } = counterView(counts, 'user <1>', true);
    expect(text).toContain('class="wrong problem"');
    expect(text).toContain('12,345');
    expect(text).toContain('user &lt;1&gt;');
  });

  test('the race has all bars on one scale, and no bar for what did not answer', () => {
    const arm = (name: 'sql' | 'recipe' | 'recency', p50: number | undefined) => ({ name, p50, requests: 1 });
    const rows = [{ contacts: 20_000, arms: [arm('sql', 50), arm('recipe', undefined), arm('recency', 5)] }];
    const widths = [...raceView(rows, false).text.matchAll(/<rect width="([\d.]+)"/g)].map(([, width]) => width);
    expect(widths).toEqual(['100.0', '0.0', '10.0']);
    expect(raceView(undefined, true).text).toContain('rests while the story measures');
  });

  test('the way has a time for what was passed, and says what was not', () => {
    const seen = new Map([
      ['published', 12.4],
      ['applied', undefined],
    ] as const);
    const { text } = wayView({ what: 'somebody uploads', transactionMs: 3, seen }, 'outbox');
    expect(text).toMatch(/written.*0 ms.*in 3 ms.*published.*12 ms.*applied.*not yet/);
    expect(wayView(undefined, 'capture').text).toContain('binary log');
  });

  test('the story is open while it is told, and says how it ended', () => {
    const told = [{ label: 'play', lines: [], share: 0.5, seconds: undefined }];
    expect(storyView({ told, verdict: undefined }).text).toMatch(/ open>.*Under way: play 50 %.*value="50"/s);
    expect(storyView({ told, verdict: { good: true, text: 'All was right' } }).text).not.toMatch(/ open>|<progress/);
  });

  test('the site says when the API does not answer', () => {
    const person = { id: '1', contacts: 10 };
    const look = { person, recent: undefined, strangers: [], hidden: [] };
    const { text } = siteView(look, { isOpen: true, today: '2026-05-01' });
    expect(text).toContain('The API does not answer');
    expect(text).not.toContain('class="people"');
  });
});
