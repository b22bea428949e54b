import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { columnsOf, tableOf } from '../../../src/tools/demo/layout.ts';
import { Story } from '../../../src/tools/demo/story.ts';

/** A place to tell to that remembers, and a clock that the test moves. */
function audience(isTTY: boolean) {
  const told: string[] = [];
  const out = new Writable({
    write: (text, _encoding, done) => {
      told.push(String(text));
      done();
    },
  });
  const nothing = () => true;
  const terminal = { isTTY, columns: 80, clearLine: nothing, cursorTo: nothing };
  const clock = { ms: 0 };
  const story = new Story(Object.assign(out, terminal) as unknown as NodeJS.WriteStream, () => clock.ms);
  return { story, clock, told, text: () => stripVTControlCharacters(told.join('')) };
}

describe('a story', () => {
  test('tells a step in one line, with its time', async () => {
    const { story, clock, text } = audience(false);
    const work = async () => {
      clock.ms = 1_234;
      return 7;
    };
    await story.step('people', work, (many) => `${many} people`);
    expect(text()).toBe('   1.2 s  people     7 people\n');
  });

  test('remembers what it has told, for others who tell it', async () => {
    const { story } = audience(false);
    const seen: unknown[] = [];
    const work = async (progress: (done: number, total: number) => void) => {
      progress(1, 4);
      seen.push(story.running, story.told.at(-1)?.share);
      return 7;
    };
    await story.step('people', work, (many) => `${many} people`);
    story.more('2 of them are new', 'new');
    story.warn('few');
    expect(seen).toEqual(['people', 0.25]);
    expect(story.running).toBeUndefined();
    expect(story.told).toMatchObject([{ label: 'people', lines: ['7 people', 'new: 2 of them are new', 'note: few'] }]);
    story.end(true, 'Nothing was wrong');
    expect(story.verdict).toEqual({ good: true, text: 'Nothing was wrong' });
  });

  test('without a terminal tells how far a long step is from time to time, and draws nothing', async () => {
    const { story, clock, told, text } = audience(false);
    await story.step(
      'indexes',
      async (progress) => {
        for (const [ms, done] of [
          [100, 1],
          [11_000, 2_000],
          [12_000, 3_000],
          [22_000, 4_000],
        ] as const) {
          clock.ms = ms;
          progress(done, 4_000);
        }
      },
      () => 'built',
      'users',
    );
    expect(text()).toBe(
      '       …  indexes    2,000 of 4,000 users, 50%, 183/s, 11 s left\n  22.0 s  indexes    built\n',
    );
    expect(told.join('')).not.toContain('\u001b');
  });

  test('of a step that fails tells nothing, and lets the failure through', async () => {
    const { story, text } = audience(false);
    const work = () => Promise.reject(new Error('away'));
    await expect(story.step('schema', work, () => 'made')).rejects.toThrow('away');
    expect(text()).toBe('');
  });

  test('in a terminal shows the step under way first', async () => {
    const { story, told } = audience(true);
    await story.step(
      'schema',
      async () => expect(told.join('')).toContain('schema'),
      () => 'made',
    );
    expect(told.at(-1)).toContain('made');
  });
});

describe('the layout', () => {
  test('goes on below itself where the line is too long, and cuts no word', () => {
    const lines = columnsOf('1.0 s', 'play', 'a bb ccc '.repeat(20).trim(), 70).split('\n');
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines.slice(1)) expect(line.startsWith(' '.repeat(21))).toBe(true);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(70);
    expect(columnsOf('', '', 'x'.repeat(300), 70).trim()).toBe('x'.repeat(300));
  });

  test('puts numbers under one another', () => {
    expect(
      tableOf(
        ['n', 'ms'],
        [
          ['10', '1.00'],
          ['1,000', '22.00'],
        ],
      )
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual(['n           ms', '10        1.00', '1,000    22.00']);
  });
});
