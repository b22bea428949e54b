import type { Bench, Ground } from '../bench.ts';
import type { Measurements } from '../report.ts';
import { type AudienceSize, gatherAudience } from './audience.ts';
import { measureSpread, type SpreadSize, startRelay } from './spread.ts';

export interface CelebritySize {
  readonly audience: AudienceSize;
  readonly spread: SpreadSize;
}

/** Measures the photo of an owner with very many followers, most of whom have no index. */
export const celebrity: Bench<CelebritySize> = {
  name: 'celebrity',
  summary: 'a photo for a million followers, and the small tasks meanwhile',
  transport: 'kafka',
  full: { audience: { followers: 1_000_000, oneIndexedIn: 5, contacts: 12, ofIdol: 40_000 }, spread: { rounds: 1 } },
  quick: { audience: { followers: 9_000, oneIndexedIn: 5, contacts: 3, ofIdol: 1_500 }, spread: { rounds: 1 } },
  measure,
};

async function measure(ground: Ground, size: CelebritySize): Promise<Measurements> {
  const begun = performance.now();
  const audience = await gatherAudience(ground, size.audience);
  ground.progress(`gathered in ${Math.round((performance.now() - begun) / 1000)} s`);
  startRelay(ground);
  const rows = await measureSpread(ground, audience, size.spread);
  return { rows: rows as never, ratios: {} };
}
