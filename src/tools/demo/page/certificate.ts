import type { Reason } from '../../../contracts/http.ts';
import type { Id } from '../../../contracts/id.ts';
import { count } from '../layout.ts';

/** What an answer of the API says about itself. */
export interface Certificate {
  readonly source: 'index' | 'database';
  readonly exact: boolean;
  readonly complete: boolean;
  readonly floor: { readonly at: string; readonly id: Id } | null;
  readonly reason?: Reason;
  readonly as_of: string;
  /** ms; null: not known. */
  readonly lag_ms: number | null;
}

const REASONS: Readonly<Partial<Record<Reason, string>>> = {
  cold: 'there is no index of this person now',
  redis_unavailable: 'Redis is unavailable, or what it holds is not trusted',
  small: 'reading so few contacts takes no longer than an index does',
  below_floor: 'the page reaches below what the index knows',
  changed_meanwhile: 'the contacts changed while their photos were read',
  lag: 'how old a change that is missing can be is not known, or too much',
};

/** The certificate in words. */
export function wordsOf(certificate: Certificate): string {
  const { source, exact, reason, lag_ms: lag } = certificate;
  const why = reason === undefined ? '' : `: ${REASONS[reason] ?? reason}`;
  if (source === 'database') {
    return `Plain SQL over all contacts answered${why}. ${exact ? 'Nothing that was committed is missing.' : 'The answer says itself that it is not exact.'}`;
  }
  if (!exact) return `The index answered, and the answer says itself that it is not exact${why}.`;
  return `The index named the candidates, and MySQL was asked about those only. Every change that is older than ${count(lag ?? 0)} ms is in this answer, each row in its right place.`;
}
