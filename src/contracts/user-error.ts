/**
 * Who can do something about an error:
 * - `wrong_use`: the caller of the command, or the author of the settings; nothing was done
 * - `operational`: the operator: permissions, a lease, the state of a server; also a command that was interrupted
 * - `unavailable`: a server is unavailable, too slow or full; the same work may succeed later
 */
type UserErrorKind = 'wrong_use' | 'operational' | 'unavailable';

/**
 * An error whose message is written for the person who runs Recency: what is wrong and, unless there is a `remedy`, how
 * to fix it. It holds no secret. Any other error is a defect of the program and is shown with its stack.
 */
export class UserError extends Error {
  // Getters, not fields: a logger copies the own properties of an error.
  get kind(): UserErrorKind {
    return 'operational';
  }

  /** What to do about it, as a sentence that follows the message. */
  get remedy(): string | undefined {
    return undefined;
  }
}

/** The known name closest to a mistyped one, whatever the case; undefined when none is close enough. */
export function nearestName(mistyped: string, known: readonly string[]): string | undefined {
  const [nearest] = known
    .map((name) => ({ name, distance: editDistance(mistyped.toUpperCase(), name.toUpperCase()) }))
    .sort((a, b) => a.distance - b.distance);
  return nearest !== undefined && nearest.distance <= Math.max(3, mistyped.length / 3) ? nearest.name : undefined;
}

/** The Levenshtein distance. */
function editDistance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (above[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    above = row;
  }
  return above[to.length] ?? 0;
}
