/** The long jobs, of contacts alone where a test names no kinds. */
import { CONTACTS } from '../../src/contracts/kind.ts';
import { type BackfillParts, type BackfillStores, createBackfill as backfillOf } from '../../src/repair/backfill.ts';
import { type RepairParts, type RepairStores, createRepair as repairOf } from '../../src/repair/repair.ts';
import type { KindOf } from '../../src/repair/run-parameters.ts';
import { Sampler as SamplerOf, type SamplerParts, type SamplerStores } from '../../src/repair/sampler/sampler.ts';
import { Verify as VerifyOf, type VerifyParts, type VerifyStores } from '../../src/repair/verify.ts';

/** What a job needs, with the parts of each kind, or with those of contacts beside the rest. */
type Parts<Stores, P> = Omit<Stores, 'kinds' | 'primary'> &
  ((P & { readonly kinds?: undefined }) | { readonly primary: unknown; readonly kinds: readonly KindOf<P>[] });

function listed<Stores, P extends object>(parts: Parts<Stores, P>): Stores {
  const kinds = parts.kinds ?? [{ ...(parts as unknown as P), kind: CONTACTS }];
  return { ...parts, kinds } as unknown as Stores;
}

export function createBackfill(
  stores: Parts<BackfillStores, BackfillParts>,
  request: Parameters<typeof backfillOf>[1],
): ReturnType<typeof backfillOf> {
  return backfillOf(listed<BackfillStores, BackfillParts>(stores), request);
}

export function createRepair(
  stores: Parts<RepairStores, RepairParts>,
  request: Parameters<typeof repairOf>[1],
): ReturnType<typeof repairOf> {
  return repairOf(listed<RepairStores, RepairParts>(stores), request);
}

export class Verify extends VerifyOf {
  constructor(stores: Parts<VerifyStores, VerifyParts>, request: ConstructorParameters<typeof VerifyOf>[1]) {
    super(listed(stores), request);
  }
}

export class Sampler extends SamplerOf {
  constructor(stores: Parts<SamplerStores, SamplerParts>) {
    super(listed(stores));
  }
}
