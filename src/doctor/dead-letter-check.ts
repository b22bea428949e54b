import { fine, type Verdict, warning } from '../health/finding.ts';
import { type DeadLetters, letterTime } from '../transport/dead-letters.ts';

/** More than this many are not counted. */
const COUNTED = 100;

/** What the letters say is missing in the indexes until somebody has dealt with them. */
export async function deadLettersVerdict(letters: Pick<DeadLetters, 'list'>): Promise<Verdict> {
  const found = await letters.list({ limit: COUNTED });
  const [oldest] = found;
  if (oldest === undefined) return fine('none');
  const number = found.length === COUNTED ? `${COUNTED} or more` : String(found.length);
  const why = oldest.headers['dlq-exception-message'] ?? 'it does not say why';
  const since = letterTime(oldest.timestamp);
  return warning(
    `${number}, the oldest since ${since}: ${why}`,
    'Answers may lack what they say. `recency dlq list` shows why; mend it, and then replay or discard them.',
  );
}
