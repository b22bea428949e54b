import { explainer, readYourWrites } from '../../src/app/api-queries.ts';
import type { Id } from '../../src/contracts/id.ts';
import { CONTACTS, GROUPS } from '../../src/contracts/kind.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { inspectIndex } from '../../src/query/inspect-index.ts';
import { RecentBatch } from '../../src/query/recent-batch.ts';
import { RecentPhotos } from '../../src/query/recent-photos.ts';
import { SourcePhotos } from '../../src/query/source-photos.ts';
import { type KindTestStores, NO_LAG, recentContactsOn, type Stores } from './stores.ts';
import { TRUSTED } from './trust.ts';

/** What {@link startTestApi} needs to answer about groups as well. */
export function withGroups(stores: Stores, ofGroups: KindTestStores, limits: { max: number; min: number }) {
  const { primary, index, steps } = ofGroups;
  const now = () => performance.now();
  const recent = recentContactsOn(ofGroups, limits);
  const batch = new RecentBatch({ index: ofGroups.index, database: primary, recent, now, ...NO_LAG });
  const refreshed = [
    { kind: CONTACTS, steps: stores.steps },
    { kind: GROUPS, steps },
  ];
  const nothing = () => undefined;
  return {
    forget: async (user: Id) => {
      for (const { steps } of refreshed) await steps.forget([user]);
    },
    others: [
      {
        kind: GROUPS,
        recentContacts: recent,
        recentPhotos: new RecentPhotos({ recent, database: primary, now }),
        recentBatch: batch,
        sourcePhotos: new SourcePhotos({ database: primary, now }),
        explain: explainer({ index, primary, reading: primary, limits, lag: NO_LAG }),
        inspect: (user: Id) => inspectIndex({ index, database: primary.server, steps }, user),
        rebuild: (user: Id) => run(rebuild([user], true), steps),
      },
    ],
    ...readYourWrites({ kinds: refreshed, primary: stores.primary, watch: TRUSTED, onFault: nothing }),
  };
}
