import type { CheckResult } from '../../api/readiness.ts';
import { LANES } from '../../contracts/lane.ts';
import { examine } from '../../health/finding.ts';
import type { EpochState } from '../../mysql/losses.ts';
import type { ListedLetter } from '../../transport/dead-letters.ts';
import type { PageDefinition } from '../gate.ts';
import { type Html, html } from '../html.ts';
import { time } from '../layout.ts';
import { badge, count, duration, facts, findingsTable, part, partDeadline, table } from '../parts.ts';
import type { ConsoleSources } from '../sources.ts';

/** Dead letters are counted up to this many. */
export const COUNTED_LETTERS = 100;

/** Health at a glance. A server that is unavailable takes only its own part from the page. */
export function overviewPage(sources: ConsoleSources): PageDefinition {
  return {
    path: '/console',
    isEarly: true,
    show: async ({ deadline }) => {
      const [health, backlog, consistency, epoch, letters, fanOuts] = await Promise.all([
        sources.checks(),
        part(
          () => examine('backlog', sources.backlog),
          (found) => findingsTable('Lanes and work that waits', found),
        ),
        part(
          () => examine('consistency', sources.consistency),
          (found) => findingsTable('Consistency', found),
        ),
        part(sources.epoch, epochLine),
        part(sources.firstLetters, lettersLine),
        part(
          () => sources.fanOuts(partDeadline(deadline)),
          (found) =>
            html`<a href="/console/fan-outs">${found.length === 0 ? 'none in progress' : `${found.length} in progress`}</a>`,
        ),
      ]);
      const more = facts([
        ['Epoch', epoch],
        ['Dead letters', letters],
        ['Large fan-outs', fanOuts],
      ]);
      return {
        title: 'Overview',
        isLive: true,
        content: html`${headline(health, sources)}${more}${dependencies(health)}${backlog}${consistency}`,
      };
    },
  };
}

/** The first thing that somebody on call reads: one word, and one number for each lane. */
function headline(results: readonly CheckResult[], { lagMs, version }: ConsoleSources): Html {
  const failing = results.filter(({ ok }) => !ok);
  const isUnready = failing.some(({ needed }) => needed);
  const [state, word] = isUnready ? (['problem', 'unready'] as const) : stateOf(failing);
  const ages = LANES.map(
    (lane) => [`Oldest change not yet in the indexes, ${lane} lane`, ageText(lagMs(lane))] as const,
  );
  return html`<div class="headline">${facts([['Service', badge(state, word)], ...ages, ['Version', version]])}</div>`;
}

/** An upper bound, so a site at rest shows the time of one measurement. */
function ageText(ms: number | undefined): string {
  return ms === undefined ? 'not known' : `at most ${duration(ms)}`;
}

function stateOf(failing: readonly CheckResult[]) {
  return failing.length > 0 ? (['warning', 'degraded'] as const) : (['fine', 'ready'] as const);
}

function dependencies(results: readonly CheckResult[]): Html {
  const rows = results.map(({ name, ok, needed, detail, ms }) => [
    name.replaceAll('_', ' '),
    ok ? badge('fine') : badge(needed ? 'problem' : 'warning', needed ? 'fails' : 'fails; answers go on'),
    detail ?? '',
    ms.toFixed(1),
  ]);
  return table('Dependencies', ['check', 'state', 'detail', { title: 'ms', isNumber: true }], rows);
}

function epochLine({ epoch, suspended }: EpochState): Html {
  const state = suspended ? badge('problem', 'suspended') : badge('fine', 'in force');
  return html`${state} <a href="/console/epoch">since ${time(epoch.bumpedAt)}</a>: ${epoch.why}`;
}

function lettersLine(letters: readonly ListedLetter[]): Html {
  const { length } = letters;
  if (length === 0) return html`<a href="/console/dead-letters">none</a>`;
  const number = length === COUNTED_LETTERS ? `${count(length)} or more` : count(length);
  return html`<a href="/console/dead-letters">${number}</a> ${badge('warning', 'look at them')}`;
}
