import type { CheckResult } from '../../api/readiness.ts';
import { LANES } from '../../contracts/bulk-task.ts';
import type { EpochState } from '../../mysql/losses.ts';
import type { Deadline } from '../../timing/deadline.ts';
import type { ListedLetter } from '../../transport/dead-letters.ts';
import { chartsOf } from '../charts.ts';
import type { PageDefinition } from '../gate.ts';
import { CHART_NAMES } from '../history.ts';
import { type Html, html } from '../html.ts';
import { time } from '../layout.ts';
import { badge, count, duration, facts, findingsTable, part, partDeadline, prose, table } from '../parts.ts';
import type { ConsoleSources } from '../sources.ts';
import { bumpButton, epochBadge } from './epoch.ts';

/** Dead letters are counted up to this many. */
export const COUNTED_LETTERS = 100;

/** Health at a glance. A server that is unavailable takes only its own part from the page. */
export function overviewPage(sources: ConsoleSources): PageDefinition {
  return {
    path: '/console',
    isEarly: true,
    show: async (visit) => {
      const { deadline, now } = visit;
      const [health, backlog, consistency, more, charts] = await Promise.all([
        sources.checks(),
        part(sources.backlog, (found) => findingsTable('Lanes and work that waits', found, now)),
        part(sources.consistency, (found) => findingsTable('Consistency', found, now)),
        otherFacts(sources, deadline, now),
        chartsOf(visit, sources, CHART_NAMES),
      ]);
      return {
        title: 'Overview',
        isLive: true,
        content: html`${headline(health, sources)}${more}`,
        charts,
        below: html`${dependencies(health, now)}${backlog}${consistency}`,
      };
    },
  };
}

async function otherFacts(sources: ConsoleSources, deadline: Deadline, now: number): Promise<Html> {
  const [epoch, letters, fanOuts] = await Promise.all([
    part(sources.epoch, (state) => epochLine(state, now)),
    part(sources.firstLetters, lettersLine),
    part(() => sources.fanOuts(partDeadline(deadline)), fanOutsLine),
  ]);
  return facts([
    ['Epoch', epoch],
    ['Dead letters', letters],
    ['Large fan-outs', fanOuts],
  ]);
}

function fanOutsLine({ length }: readonly unknown[]): Html {
  return html`<a href="/console/fan-outs">${length === 0 ? 'none in progress' : `${length} in progress`}</a>`;
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

const DOCTOR = '`recency doctor` says what is wrong, and how to fix it.';

function dependencies(results: readonly CheckResult[], now: number): Html {
  const rows = results.map(({ name, ok, needed, detail, ms }) => [
    name.replaceAll('_', ' '),
    ok ? badge('fine') : badge(needed ? 'problem' : 'warning', needed ? 'fails' : 'fails; answers go on'),
    html`${detail}${!ok && html`<p class="fix">${prose(DOCTOR)}</p>`}`,
    ms.toFixed(1),
    time(now, now),
  ]);
  const columns = ['check', 'state', 'detail', { title: 'ms', isNumber: true }, 'checked'];
  return table('Dependencies', columns, rows);
}

function epochLine(state: EpochState, now: number): Html {
  const { epoch, suspended } = state;
  return html`${epochBadge(state)} <a href="/console/epoch">begun ${time(epoch.bumpedAt, now)}</a>: ${epoch.why} ${suspended && bumpButton()}`;
}

function lettersLine(letters: readonly ListedLetter[]): Html {
  const { length } = letters;
  if (length === 0) return html`<a href="/console/dead-letters">none</a>`;
  const number = length === COUNTED_LETTERS ? `${count(length)} or more` : count(length);
  return html`<a href="/console/dead-letters">${number}</a> ${badge('warning', 'not applied')} <a class="button" href="/console/dead-letters">Replay or discard…</a>`;
}
