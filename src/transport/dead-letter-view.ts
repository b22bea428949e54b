import type { DeadLetter, ListedLetter } from './dead-letters.ts';

/** Dead letters in JSON, for the command line and the console. */

const LATEST_TIME = 8.64e15;

export function listedLetterView({ id, bytes, headers, timestamp }: ListedLetter) {
  return { id, time: letterTime(timestamp), headers, bytes };
}

/** A body that is not UTF-8 is in base64. */
export function letterView({ id, body, headers, timestamp }: DeadLetter) {
  const text = body?.toString('utf8');
  const isText = body === null || Buffer.from(text ?? '').equals(body);
  const shown = isText ? { body: text ?? null } : { body: body.toString('base64'), encoding: 'base64' };
  return { id, time: letterTime(timestamp), headers, ...shown };
}

/** Capped at the latest time that a Date can hold: the producer set the timestamp. */
export function letterTime(timestamp: number): string {
  return new Date(Math.min(timestamp, LATEST_TIME)).toISOString();
}
