/** The end of the year 9999: RFC 3339 has four digits for a year, and so have the parsers of clients. */
const LATEST = 253_402_300_799_999;

/**
 * A time for people and clients: RFC 3339, UTC, with milliseconds. A time past the year 9999 (rows of a broken clock)
 * is written as the last moment of that year; its place in the order still follows the exact value.
 * @param at ms since 1970 UTC, ≥ 0
 */
export function isoTime(at: number): string {
  return new Date(Math.min(at, LATEST)).toISOString();
}
