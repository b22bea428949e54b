import { randomBytes } from 'node:crypto';
import type { Config } from '../../../config/config.ts';
import type { Bench, Ground } from '../bench.ts';
import { type Measurements, rounded } from '../report.ts';
import { inTurns, secondsOf, type Turn } from '../turns.ts';
import { gatherCrowd, Uploads } from './crowd.ts';
import { ThreadedVariant } from './threaded-variant.ts';
import {
  type FanOutVariant,
  PARTS,
  type Part,
  PHOTOS,
  type Upload,
  type UploadNumber,
  VARIANT_NAMES,
} from './variant.ts';

export interface FanOutSize {
  readonly followers: number;
  readonly rounds: number;
  readonly warmUp: number;
}

/** Measures one person's upload into the index of every follower. */
export const fanout: Bench<FanOutSize> = {
  name: 'fanout',
  summary: 'users per second whose index a fan-out writes',
  transport: 'streams',
  settings: () => ({ KEY_PREFIX: `b${randomBytes(3).toString('hex')}` }),
  full: { followers: 5_000, rounds: 8, warmUp: 4 },
  quick: { followers: 600, rounds: 1, warmUp: 0 },
  measure,
};

export interface FanOutRow {
  readonly arm: string;
  readonly part: Part;
  readonly photo: UploadNumber;
  readonly users_per_second: number;
}

async function measure(ground: Ground, size: FanOutSize): Promise<Measurements> {
  const { progress, signal, stores, resources } = ground;
  const rounds = size.warmUp + size.rounds;
  const crowd = await gatherCrowd(ground, { followers: size.followers, owners: rounds * PARTS.length });
  const { settings } = ground.namespace;
  const variants: FanOutVariant[] = [];
  for (const name of VARIANT_NAMES) variants.push(await ThreadedVariant.open({ name, settings, crowd }, resources));
  progress(`${size.followers} followers, each with a full index; ${rounds} rounds, of which ${size.warmUp} warm up`);
  const uploads = new Uploads(stores.pool, crowd);
  const measured = await inTurns(turnsOf(variants, uploads), { ...size, signal });
  await checkAll(variants, crowd.followers, await uploads.last(rounds), ground.namespace.config);
  const rows = measured.map(({ median, ...row }) => ({
    ...row,
    users_per_second: Math.round(size.followers / median),
  }));
  return { rows, ratios: fanOutRatios(rows) };
}

type FanOutTurn = Turn<Omit<FanOutRow, 'users_per_second'>>;

function turnsOf(variants: readonly FanOutVariant[], uploads: Uploads): FanOutTurn[][] {
  return PARTS.flatMap((part) =>
    PHOTOS.map((photo) =>
      variants.filter((arm) => arm.parts.includes(part)).map((arm) => turnOf(arm, part, photo, uploads)),
    ),
  );
}

function turnOf(arm: FanOutVariant, part: Part, photo: UploadNumber, uploads: Uploads): FanOutTurn {
  return {
    row: { arm: arm.name, part, photo },
    take: async (round) => {
      const upload = await uploads.of(round, part, photo);
      await arm.prepare(upload);
      const seconds = await secondsOf(() => arm.fanOut(upload, part));
      await arm.tidy();
      return seconds;
    },
  };
}

/** Checks that nobody wins by leaving work undone. @throws Error when a variant did */
async function checkAll(
  variants: readonly FanOutVariant[],
  users: readonly string[],
  { owner }: Upload,
  { min, max }: Config,
) {
  for (const arm of variants) {
    for (const user of [users[0], users.at(-1)]) {
      const members = await arm.members(user ?? '');
      if (members.length > min && members.length <= max && members.includes(owner)) continue;
      throw new Error(`${arm.name} has not brought ${owner} into at most ${max} of ${user}: ${members.join(' ')}`);
    }
  }
}

/** For the owner's first photo, which changes the members of every index. */
export function fanOutRatios(rows: readonly FanOutRow[]): Record<string, number> {
  const speed = (arm: string, part: Part) =>
    rows.find((row) => row.arm === arm && row.part === part && row.photo === 'first')?.users_per_second ?? Number.NaN;
  const over = (arm: string, part: Part, own: Part = part) => rounded(speed('recency', own) / speed(arm, part));
  return {
    over_recipe: over('recipe', 'redis'),
    over_recipe_pipelined: over('recipe_pipelined', 'redis'),
    over_raw_zadd: over('raw_zadd', 'redis'),
    over_recipe_total: over('recipe', 'total'),
    over_recipe_pipelined_total: over('recipe_pipelined', 'total'),
    over_raw_zadd_total: over('raw_zadd', 'total'),
    over_denormalised_total: over('denormalised', 'total'),
    over_recipe_from_payload_total: over('recipe', 'total_from_payload', 'total'),
    over_recipe_pipelined_from_payload_total: over('recipe_pipelined', 'total_from_payload', 'total'),
  };
}
