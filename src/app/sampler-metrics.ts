import { Gauge, type Registry } from 'prom-client';
import { DRIFT_CLASSES, type DriftClass } from '../contracts/drift.ts';
import type { TruthCounts } from '../repair/counts.ts';
import { ninesOf, type SampleCounts, WINDOW_NAMES, type Windows } from '../repair/sampler/windows.ts';
import { counter } from './metrics.ts';

/** The sampler's metrics. A process that does not sample has no series of nines, rather than a wrong one. */
export function samplerMetrics(registry: Registry, windows: Windows): (counts: SampleCounts) => void {
  new Gauge({
    name: 'recency_consistency_nines',
    help: '-log10 of the share of sampled users whose index or answers are wrong; with none wrong, log10 of the users.',
    labelNames: ['window'],
    registers: [registry],
    collect() {
      this.reset();
      for (const window of WINDOW_NAMES) {
        const nines = ninesOf(windows.within(window));
        if (nines !== undefined) this.set({ window }, nines);
      }
    },
  });
  const help =
    'Users checked by the sampler: right, wrong_visible, wrong_hidden (no client would notice) or unsettled.';
  const users = counter(registry, 'recency_sampled_users_total', help, ['outcome']);
  return ({ checked, wrong, visible, unsettled }) => {
    users.inc({ outcome: 'right' }, checked - wrong);
    users.inc({ outcome: 'wrong_hidden' }, wrong - visible);
    users.inc({ outcome: 'wrong_visible' }, visible);
    users.inc({ outcome: 'unsettled' }, unsettled);
  };
}

/** What a wrong user differs in; `answers`: the index is right. */
const DRIFT = [...DRIFT_CLASSES, 'answers'] as const;

/** Counts the users whom the sampler found wrong, by the classes of the drift. */
export function driftCounter(
  registry: Registry,
): (wrong: readonly { readonly classes: readonly DriftClass[] }[]) => void {
  const help =
    'Users found wrong by the sampler, by class of drift; answers: only their answers were. A user may count in several.';
  const drift = counter(registry, 'recency_sampled_drift_total', help, ['class']);
  for (const name of DRIFT) drift.inc({ class: name }, 0); // so that the first one is an increase
  return (wrong) => {
    for (const { classes } of wrong) {
      for (const name of classes.length > 0 ? classes : (['answers'] as const)) drift.inc({ class: name });
    }
  };
}

/** Counts what the sampler, and the sample that a process takes when it starts, find wrong with the site's views. */
export function truthMetrics(registry: Registry): (counts: TruthCounts) => void {
  const help =
    'Pairs whose last upload was compared with the photos that the user may see: right, or wrong (the views are).';
  const pairs = counter(registry, 'recency_sampled_pairs_total', help, ['outcome']);
  return ({ pairs: compared, wrong }) => {
    pairs.inc({ outcome: 'right' }, compared - wrong);
    pairs.inc({ outcome: 'wrong' }, wrong);
  };
}
