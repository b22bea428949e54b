import { DRIFT_CLASSES, type DriftClass } from '../../contracts/drift.ts';
import { RULES } from '../../query/verdict.ts';
import type { RunProgress } from '../../repair/run-progress.ts';
import type { SamplerReport } from '../../repair/sampler/report.ts';
import { chartsOf } from '../charts.ts';
import type { PageDefinition } from '../gate.ts';
import { type Html, html } from '../html.ts';
import { time } from '../layout.ts';
import { badge, count, findingsTable, part, table } from '../parts.ts';
import type { Session } from '../sessions.ts';
import type { ConsoleSources } from '../sources.ts';
import { rebuildForm } from './rebuild.ts';

/** The latest runs among which a repair is looked for. */
const RUNS = 100;

/** How indexes differ from MySQL, by class: according to the sampler now, and to the last repair. */
export function driftPage(
  sources: Pick<ConsoleSources, 'consistency' | 'sampler' | 'runs' | 'history'>,
): PageDefinition {
  return {
    path: '/console/drift',
    show: async (visit) => {
      const { now, session } = visit;
      const [consistency, sampled, repaired, charts] = await Promise.all([
        part(sources.consistency, (found) => findingsTable('Consistency', found, now)),
        part(
          () => sources.sampler.read(),
          (read) => wrongUsers(read?.report, session),
        ),
        part(
          async () => lastRepair(await sources.runs(RUNS)),
          (repair) => byClass(repair, now),
        ),
        chartsOf(visit, sources, ['drift']),
      ]);
      return {
        title: 'Drift',
        isLive: true,
        content: html`${consistency}${sampled}`,
        charts,
        below: repaired,
      };
    },
  };
}

function wrongUsers(report: SamplerReport | undefined, session: Session): Html {
  if (report === undefined) return html``;
  const { wrong_users } = report;
  if (wrong_users.length === 0) return html`<p>The sampler found nobody wrong in the last five minutes.</p>`;
  const named = wrong_users.map(({ user, kind = 'contacts' }) => ({ user, kind }));
  const rows = wrong_users.map(({ user, kind = 'contacts', classes, visible }) => [
    html`<a class="id" href="/console/user?user=${user}&amp;kind=${kind}">${user}</a>`,
    kind,
    classes.join(', ') || 'answers',
    visible ? badge('problem', 'visible') : badge('warning', 'hidden'),
    rebuildForm([{ user, kind }], session),
  ]);
  const columns = ['user', 'kind', 'classes', 'to clients', 'fix'];
  const all = named.length > 1 && rebuildForm(named, session);
  return html`<section id="wrong">${table('Users whom the sampler found wrong', columns, rows)}${all}</section>`;
}

function lastRepair(runs: readonly RunProgress[]): RunProgress | undefined {
  return runs.find(({ run }) => run.kind === 'repair');
}

const MEANING: Readonly<Record<DriftClass, string>> = {
  ...RULES,
  truth: 'MySQL contradicts itself: the last upload of a pair is not that of its photos. No repair fixes it.',
};

function byClass(repair: RunProgress | undefined, now: number): Html {
  if (repair === undefined) {
    return html`<h2>By class</h2><p>There was no repair yet. <code class="command">recency repair --dry-run</code> counts what is wrong and changes nothing.</p>`;
  }
  const { run, counts } = repair;
  const { classes = {}, visible_classes: visible = {}, users } = counts.before;
  const rows = DRIFT_CLASSES.map((drift) => [
    drift.replace('_', ' '),
    count(classes[drift] ?? 0),
    count(visible[drift] ?? 0),
    MEANING[drift],
  ]);
  const columns = [
    'class',
    { title: 'users', isNumber: true },
    { title: 'visibly', isNumber: true },
    'the rule that it breaks',
  ];
  return html`${table(`Drift by class, as repair ${run.id} found it`, columns, rows)}
<p class="hint">${count(users)} users were checked; saved ${time(run.updatedAt, now)}. What was wrong and could be fixed was rebuilt${
    repair.parameters.dryRun && ' in no index: it was a dry run'
  }.</p>`;
}
