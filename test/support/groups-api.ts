import { explainer } from '../../src/app/api-queries.ts';
import { askedAbout, batchAbout } from '../../src/app/asked-about.ts';
import { promptOn } from '../../src/app/prompt.ts';
import type { Id } from '../../src/contracts/id.ts';
import { CONTACTS, GROUPS } from '../../src/contracts/kind.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { inspectIndex } from '../../src/query/inspect-index.ts';
import { RecentBatch } from '../../src/query/recent-batch.ts';
import { RecentPhotos } from '../../src/query/recent-photos.ts';
import { SourcePhotos } from '../../src/query/source-photos.ts';
import { recentContactsOn, type Stores } from './stores.ts';

/** What {@link startTestApi} needs to answer about groups as well. */
export function withGroups(stores: Stores, ofGroups: Stores, limits: { max: number; min: number }) {
  const { primary, index, steps } = ofGroups;
  const now = () => performance.now();
  const recent = recentContactsOn(ofGroups, limits);
  const batch = new RecentBatch({ index: ofGroups.index, database: primary, recent, now });
  const refreshed = [
    { kind: CONTACTS, steps: stores.steps },
    { kind: GROUPS, steps },
  ];
  const nothing = () => undefined;
  return {
    kinds: [CONTACTS, GROUPS],
    forget: async (user: Id) => {
      for (const { steps } of refreshed) await steps.forget([user]);
    },
    otherAnswers: [
      {
        kind: GROUPS,
        recentContacts: askedAbout(GROUPS, recent),
        recentPhotos: askedAbout(GROUPS, new RecentPhotos({ recent, database: primary, now })),
        recentBatch: batchAbout(GROUPS, batch),
        sourcePhotos: askedAbout(GROUPS, new SourcePhotos({ database: primary, now })),
        explain: explainer({ kind: GROUPS, index, primary, reading: primary, limits }),
        inspect: (user: Id) => inspectIndex({ index, database: primary }, user),
        rebuild: (user: Id) => run(rebuild([user], true), steps),
      },
    ],
    ...promptOn({ kinds: refreshed, primary: stores.primary, isTrusted: () => true, onFault: nothing }),
  };
}
