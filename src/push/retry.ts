import type { ChannelName, Outgoing } from '../contracts/watch.ts';

/** Deliveries of a webhook are tried for three days, as Standard Webhooks recommends; a topic is never given up. */
const GIVE_UP_MS: Readonly<Record<ChannelName, number>> = { webhook: 3 * 86_400_000, kafka: Number.POSITIVE_INFINITY };

/** The longest wait, ms. */
const LONGEST_MS: Readonly<Record<ChannelName, number>> = { webhook: 3_600_000, kafka: 5_000 };

const SHORTEST_MS = 1_000;

/**
 * When a delivery that failed is tried again: after a tenth of the time since the first try, so that a receiver that was away
 * for a minute is told within seconds of its return, and one that is away for days is asked once an hour. A quarter more or
 * less at random, so that the watches of one receiver do not come together.
 * @param by `afterMs`: no sooner than that, as the receiver asked; `random`: from 0 to 1
 * @returns ms since 1970 UTC; undefined: it is given up
 */
export function retryAt(
  channel: ChannelName,
  { since }: Pick<Outgoing, 'since'>,
  by: { readonly now: number; readonly random: () => number; readonly afterMs?: number | undefined },
): number | undefined {
  const { now, random, afterMs = 0 } = by;
  const elapsed = now - since;
  if (elapsed >= GIVE_UP_MS[channel]) return undefined;
  const wait = Math.min(Math.max(elapsed / 10, SHORTEST_MS), LONGEST_MS[channel]) * (0.75 + random() / 2);
  return now + Math.round(Math.max(wait, afterMs));
}
