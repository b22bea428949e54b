import type { Delivery } from '../task-source.ts';

/** An entry as Redis gives it: its id, then fields and values in turns. */
export type RawEntry = readonly [id: Buffer, fields: readonly Buffer[]];

/** The field of the body; every other field is a header of that name. */
const BODY = 'body';

/** The fields and values of an entry, in turns; without a body it is a tombstone. */
export function entryFields(body: Buffer | null, headers: Readonly<Record<string, string>>): (string | Buffer)[] {
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

/** ms since 1970: an id begins with the time of the server that gave it. */
export function timeOf(id: string): number {
  return Number(id.slice(0, id.indexOf('-')));
}

/** Of two ids of entries, does the first come before the second? */
export function isBefore(a: string, b: string): boolean {
  const [ams, aseq] = parts(a);
  const [bms, bseq] = parts(b);
  return ams < bms || (ams === bms && aseq < bseq);
}

function parts(id: string): [bigint, bigint] {
  const [ms = '0', seq = '0'] = id.split('-');
  return [BigInt(ms), BigInt(seq)];
}
