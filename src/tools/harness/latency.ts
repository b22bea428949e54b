import type { Id } from '../../contracts/id.ts';
import type { HttpClient } from './http.ts';

/** The arms of a comparison unless more are named. */
export type VariantName = 'sql' | 'recipe' | 'recency';

export interface Variant<Name extends string = VariantName> {
  readonly name: Name;
  readonly client: Pick<HttpClient, 'get'>;
}

/** Of one arm for one user, ms. */
export interface Quantiles {
  /** The median over the rounds of each round's median. */
  readonly p50: number;
  /** Of all requests that count. */
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
  /** Requests of one arm for one user in one round at the most, and ms after which no further one is sent. */
  readonly requests: number;
  readonly budgetMs: number;
  /** Requests to each arm, for the user with the fewest contacts, before anything counts. */
  readonly warmUp: number;
  readonly onRound?: (done: number) => void;
  readonly signal?: AbortSignal;
}

const FEWEST_REQUESTS = 2;

/**
 * The same question over HTTP to each arm, one request after the other, in turns (A B C A B C). The turns are short, so
 * that whatever else the machine does falls on all of them alike. The first round is not counted.
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

/** @returns what each request took, ms */
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
    if (status !== 200) throw new Error(`${path} was answered with ${status}: ${body.slice(0, 500)}`);
  }
  return times;
}

function quantilesOf(rounds: readonly (readonly number[])[]): Quantiles {
  const medians = rounds.map((times) => quantile(times, 0.5));
  return { p50: quantile(medians, 0.5), p99: quantile(rounds.flat(), 0.99) };
}

/** How flat Recency is (its p50 for the most contacts by that for the fewest), and how many times the others' it is. */
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

/** By nearest rank. @param q from 0 to 1 */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN;
}
