import type { Delivery } from '../task-source.ts';

/** A stream entry as Redis returns it: its id, then alternating fields and values. */
export type RawEntry = readonly [id: Buffer, fields: readonly Buffer[]];

/** The field that holds the body. Every other field is the header of that name. */
const BODY = 'body';

/** The alternating fields and values of an entry. */
export type EntryFields = readonly (string | Buffer)[];

/** An entry without a body is a tombstone. */
export function entryFields(body: Buffer | null, headers: Readonly<Record<string, string>>): EntryFields {
  const fields: (string | Buffer)[] = Object.entries(headers).flat();
  if (body !== null) fields.push(BODY, body);
  return fields;
}

export function deliveryOf(stream: string, [rawId, fields]: RawEntry): Delivery {
  const id = rawId.toString();
  const headers: Record<string, string> = {};
  let body: Buffer | null = null;
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = String(fields[i]);
    const value = fields[i + 1] as Buffer;
    if (name === BODY) body = value;
    else headers[name] = value.toString();
  }
  return { position: `streams:${stream}:${id}`, body, headers, timestamp: timeOf(id) };
}

/** ms since 1970 UTC: an entry's id begins with the time of the server that created it. */
export function timeOf(id: string): number {
  return Number(id.slice(0, id.indexOf('-')));
}

/** Is it the id of an entry in full, as Redis gives it? */
export function isEntryId(text: string): boolean {
  return /^\d{1,20}-\d{1,20}$/.test(text);
}

/** Does entry id `a` come before entry id `b`? */
export function isBefore(a: string, b: string): boolean {
  const [ams, aseq] = parts(a);
  const [bms, bseq] = parts(b);
  return ams < bms || (ams === bms && aseq < bseq);
}

function parts(id: string): [bigint, bigint] {
  const [ms = '0', seq = '0'] = id.split('-');
  return [BigInt(ms), BigInt(seq)];
}
