import type { Id } from '../../contracts/id.ts';
import type { HttpClient } from './http.ts';
import { TookTooLong } from './poll.ts';

/** The variants of a comparison unless others are named. */
export type VariantName = 'sql' | 'recipe' | 'recency';

export interface Variant<Name extends string = VariantName> {
  readonly name: Name;
  readonly client: Pick<HttpClient, 'get'>;
}

/** Latencies of one variant for one user, ms. */
export interface Quantiles {
  /** The median of the rounds' medians. */
  readonly p50: number;
  /** Of all counted requests. */
  readonly p99: number;
}

export interface LatencyRow<Name extends string = VariantName> {
  readonly contacts: number;
  readonly variants: Readonly<Record<Name, Quantiles>>;
}

export interface LatencyOptions<Name extends string = VariantName> {
  readonly variants: readonly Variant<Name>[];
  readonly users: readonly { readonly user: Id; readonly contacts: number }[];
  readonly rounds: number;
  /** Maximum requests to one variant for one user per round, and ms after which no more are sent. */
  readonly requests: number;
  readonly budgetMs: number;
  /** Requests to each variant, for the user with the fewest contacts, before anything counts. */
  readonly warmUp: number;
  readonly onRound?: (done: number) => void;
  readonly signal?: AbortSignal;
}

const FEWEST_REQUESTS = 2;

/**
 * Sends the same request over HTTP to each variant, one at a time, in turns (A B C A B C). The turns are short, so that
 * other load on the machine affects all alike. The first round does not count.
 * @throws Error when an answer is not a 200
 */
export async function measureLatency<Name extends string>(options: LatencyOptions<Name>): Promise<LatencyRow<Name>[]> {
  const { variants, users, rounds, warmUp, budgetMs, onRound, signal } = options;
  const cells = users.flatMap(({ user, contacts }) =>
    variants.map((variant) => ({ variant, user, contacts, rounds: [] as number[][] })),
  );
  const [least] = users;
  if (least)
    for (const variant of variants)
      await ask(variant, least.user, { requests: warmUp, budgetMs: budgetMs * warmUp }, signal);
  for (let round = 0; round <= rounds; round++) {
    for (const cell of cells) {
      const times = await ask(cell.variant, cell.user, options, signal);
      if (round > 0) cell.rounds.push(times);
    }
    onRound?.(round);
  }
  return users.map(({ contacts }) => {
    const own = cells.filter((cell) => cell.contacts === contacts);
    const measured = own.map((cell) => [cell.variant.name, quantilesOf(cell.rounds)] as const);
    return { contacts, variants: Object.fromEntries(measured) as Record<Name, Quantiles> };
  });
}

/** @returns the duration of each request, ms */
async function ask(
  { client }: Pick<Variant, 'client'>,
  user: Id,
  { requests, budgetMs }: Pick<LatencyOptions, 'requests' | 'budgetMs'>,
  signal: AbortSignal | undefined,
): Promise<number[]> {
  const path = `/v1/users/${user}/contacts/recent`;
  const times: number[] = [];
  const end = performance.now() + budgetMs;
  while (times.length < requests && (times.length < FEWEST_REQUESTS || performance.now() < end)) {
    signal?.throwIfAborted();
    const from = performance.now();
    const { status, body } = await client.get(path);
    times.push(performance.now() - from);
    if (status === 503) throw new TookTooLong(`${path} was answered with 503: ${body.slice(0, 500)}.`);
    if (status !== 200) throw new Error(`${path} was answered with ${status}: ${body.slice(0, 500)}`);
  }
  return times;
}

function quantilesOf(rounds: readonly (readonly number[])[]): Quantiles {
  const medians = rounds.map((times) => quantile(times, 0.5));
  return { p50: quantile(medians, 0.5), p99: quantile(rounds.flat(), 0.99) };
}

/** `flatness`: Recency's p50 for the most contacts over that for the fewest; the others' p50 over Recency's. */
export function ratiosOf(rows: readonly LatencyRow[]) {
  const [fewest, most] = [rows[0], rows.at(-1)];
  if (fewest === undefined || most === undefined) throw new Error('nothing was measured');
  const hundredths = (value: number) => Math.round(value * 100) / 100;
  return {
    flatness: hundredths(most.variants.recency.p50 / fewest.variants.recency.p50),
    sql_over_recency: hundredths(most.variants.sql.p50 / most.variants.recency.p50),
    recipe_over_recency: hundredths(most.variants.recipe.p50 / most.variants.recency.p50),
  };
}

/** Nearest-rank quantile. @param q from 0 to 1 */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN;
}
