/** The bytes end too early, or do not follow the protocol. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
}

/** Reads Kafka's primitive types in sequence, never past the end. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  int8(): number {
    return this.#bytes.readInt8(this.#skip(1));
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.#skip(2));
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#skip(4));
  }

  uint32(): number {
    return this.#bytes.readUInt32BE(this.#skip(4));
  }

  int64(): bigint {
    return this.#bytes.readBigInt64BE(this.#skip(8));
  }

  /** A zigzag varint of at most 64 bits; exact up to 2^53. */
  varint(): number {
    let value = 0;
    for (let scale = 1, i = 0; i < 10; i++, scale *= 128) {
      const byte = this.#bytes[this.#skip(1)] as number;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
    throw new Malformed('a number has more than 10 bytes');
  }

  /** A view of the same memory, not a copy. */
  take(length: number): Buffer {
    const from = this.#skip(length);
    return this.#bytes.subarray(from, from + length);
  }

  /** Null if the length is −1. */
  takeOrNull(length: number): Buffer | null {
    return length === -1 ? null : this.take(length);
  }

  text(length: number): string {
    return this.take(length).toString('utf8');
  }

  /** Skips `length` bytes and returns where they begin. */
  #skip(length: number): number {
    const from = this.#at;
    if (length < 0 || length > this.left)
      throw new Malformed(`${length} bytes expected, but only ${this.left} are left`);
    this.#at += length;
    return from;
  }
}
