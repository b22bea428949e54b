import { Counter, Gauge, type Registry } from 'prom-client';
import { ninesOf } from '../repair/sampler/nines.ts';
import { type SampleCounts, WINDOW_NAMES, type Windows } from '../repair/sampler/windows.ts';
import type { TruthCounts } from '../repair/truth-check.ts';

/** What the sampler tells Prometheus. A process that stands by has no nines: no series, rather than a wrong one. */
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
  const users = new Counter({
    name: 'recency_sampled_users_total',
    help: 'Users checked by the sampler: right, wrong (hidden: no client would notice), or not to be told.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return ({ checked, wrong, visible, unsettled }) => {
    users.inc({ outcome: 'right' }, checked - wrong);
    users.inc({ outcome: 'wrong_hidden' }, wrong - visible);
    users.inc({ outcome: 'wrong_visible' }, visible);
    users.inc({ outcome: 'unsettled' }, unsettled);
  };
}

/** What the sampler, and the sample that a process takes when it starts, found of the site's views. */
export function truthMetrics(registry: Registry): (counts: TruthCounts) => void {
  const pairs = new Counter({
    name: 'recency_sampled_pairs_total',
    help: 'Pairs whose last upload was compared with the photos that the user may see: right, or wrong (the views are).',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return ({ pairs: compared, wrong }) => {
    pairs.inc({ outcome: 'right' }, compared - wrong);
    pairs.inc({ outcome: 'wrong' }, wrong);
  };
}
