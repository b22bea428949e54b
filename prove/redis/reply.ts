/** A reply of Redis: an integer, a bulk string, nil, an array, a status or an error. */
export type Reply = number | string | null | readonly Reply[] | Status | Failure;

export class Status {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** An error reply: its text begins with a code, for example `WRONGTYPE`. */
export class Failure {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** As RESP 2 writes it: the form in which replies cross into Lua. */
export function encode(reply: Reply): string {
  if (typeof reply === 'number') return `:${reply}\r\n`;
  if (typeof reply === 'string') return `$${Buffer.byteLength(reply)}\r\n${reply}\r\n`;
  if (reply === null) return '$-1\r\n';
  if (reply instanceof Status) return `+${reply.text}\r\n`;
  if (reply instanceof Failure) return `-${reply.text}\r\n`;
  return `*${reply.length}\r\n${reply.map(encode).join('')}`;
}

export function decode(text: string): Reply {
  return new Decoder(Buffer.from(text)).next();
}

class Decoder {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  next(): Reply {
    const line = this.#line();
    const rest = line.slice(1);
    switch (line[0]) {
      case ':':
        return Number(rest);
      case '+':
        return new Status(rest);
      case '-':
        return new Failure(rest);
      case '$':
        return Number(rest) < 0 ? null : this.#bulk(Number(rest));
      case '*':
        return Array.from({ length: Number(rest) }, () => this.next());
      default:
        throw new Error(`not a reply: ${line}`);
    }
  }

  #line(): string {
    const end = this.#bytes.indexOf('\r\n', this.#at);
    if (end < 0) throw new Error('a reply without an end');
    const line = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end + 2;
    return line;
  }

  #bulk(length: number): string {
    const text = this.#bytes.toString('utf8', this.#at, this.#at + length);
    this.#at += length + 2;
    return text;
  }
}
