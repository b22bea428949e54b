const UNITS = [
  ['s', 1_000, 90],
  ['min', 60_000, 90],
  ['h', 3_600_000, 48],
  ['days', 86_400_000, Number.POSITIVE_INFINITY],
];

/** A time as people say it: `12 s ago`, `in 5 min`. The pages and their script use the same. @param at, now ms since 1970 UTC */
export function relativeTime(at, now) {
  const ms = Math.abs(now - at);
  const [unit, size] = UNITS.find(([, per, most]) => ms < most * per) ?? UNITS[3];
  const length = `${Math.floor(ms / size)} ${unit}`;
  return at > now && ms >= 1_000 ? `in ${length}` : `${length} ago`;
}
