/** Reads an event of the log from its start to its end. */
export class EventByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** The next bytes, not copied. @throws RangeError when there are fewer */
  bytes(length: number): Buffer {
    if (length > this.left) throw new RangeError(`an event of the log ends ${length - this.left} bytes too early`);
    const from = this.#at;
    this.#at += length;
    return this.#bytes.subarray(from, this.#at);
  }

  skip(length: number): void {
    this.bytes(length);
  }

  /** Little-endian, of at most 6 bytes. */
  uint(length: number): number {
    if (length > this.left) throw new RangeError(`an event of the log ends ${length - this.left} bytes too early`);
    const number = this.#bytes.readUIntLE(this.#at, length);
    this.#at += length;
    return number;
  }

  uint64(): bigint {
    return this.bytes(8).readBigUInt64LE();
  }

  /** A number of one to nine bytes, whose first byte says how many there are. */
  packedInteger(): number {
    const first = this.uint(1);
    if (first < 251) return first;
    if (first === 252) return this.uint(2);
    if (first === 253) return this.uint(3);
    if (first === 254) return Number(this.uint64());
    throw new RangeError(`${first} begins no number in an event of the log`);
  }

  text(length: number): string {
    return this.bytes(length).toString('utf8');
  }

  rest(): Buffer {
    return this.bytes(this.left);
  }
}
