import { promisify } from 'node:util';
import { gunzip as gunzipCallback, zstdDecompress as zstdCallback } from 'node:zlib';
import lz4 from 'lz4-napi';
import snappy from 'snappy';

/**
 * Decompresses producers' batches. kafkajs has only gzip, without a limit; here every codec of the protocol has a limit, which is
 * checked before memory is allocated.
 *
 * gzip and zstd are Node's own. `snappy` and `lz4-napi` are maintained bindings of memory-safe Rust codecs with prebuilt
 * binaries; unlike the JavaScript ones they check the frames' checksums and know blocks that depend on one another.
 */

const gunzip = promisify(gunzipCallback);
const zstd = promisify(zstdCallback);

/** The batch decompresses to more bytes than the limit. */
class TooLarge extends Error {
  override readonly name = 'TooLarge';

  constructor(limit: number) {
    super(`it decompresses to more than ${limit} bytes`);
  }
}

const CODECS: readonly ((bytes: Buffer, limit: number) => Promise<Buffer>)[] = [
  async (bytes) => bytes,
  (bytes, limit) => within(gunzip(bytes, { maxOutputLength: limit }), limit),
  unsnappy,
  unlz4,
  (bytes, limit) => within(zstd(bytes, { maxOutputLength: limit }), limit),
];

export const CODEC_NAMES = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;

/**
 * @param codec the codec's number in the attributes of a batch
 * @param limit maximum decompressed bytes
 * @throws TooLarge; any other error if the bytes are damaged
 */
export async function decompress(codec: number, bytes: Buffer, limit: number): Promise<Buffer> {
  const work = CODECS[codec];
  if (work === undefined) throw new Error(`compression codec ${codec} is unknown`);
  return await work(bytes, limit);
}

async function within(work: Promise<Buffer>, limit: number): Promise<Buffer> {
  try {
    return await work;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? new TooLarge(limit) : error;
  }
}

/** Java's block stream: 8 bytes of magic, two versions of 4 bytes, then blocks, each preceded by its length. */
const JAVA_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const JAVA_HEADER = 16;

/** Java sends framed blocks; librdkafka and Go send one raw block. */
async function unsnappy(bytes: Buffer, limit: number): Promise<Buffer> {
  const blocks = bytes.subarray(0, JAVA_MAGIC.length).equals(JAVA_MAGIC) ? javaBlocks(bytes) : [bytes];
  if (blocks.reduce((sum, block) => sum + snappyLength(block), 0) > limit) throw new TooLarge(limit);
  const parts = await Promise.all(blocks.map((block) => snappy.uncompress(block, { asBuffer: true })));
  return Buffer.concat(parts as Buffer[]);
}

function javaBlocks(bytes: Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  for (let at = JAVA_HEADER; at < bytes.length; ) {
    const length = bytes.readInt32BE(at);
    const end = at + 4 + length;
    if (length <= 0 || end > bytes.length) throw new Error('a snappy block ends after the batch');
    blocks.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return blocks;
}

/** A block begins with its decompressed length, as a varint. The codec rejects any other length. */
function snappyLength(block: Buffer): number {
  let length = 0;
  for (let i = 0; i < Math.min(block.length, 5); i++) {
    const byte = block[i] as number;
    length += (byte & 0x7f) * 128 ** i;
    if (byte < 0x80) return length;
  }
  throw new Error('a snappy block has no valid length');
}

async function unlz4(bytes: Buffer, limit: number): Promise<Buffer> {
  if (mostOfLz4(bytes) > limit) throw new TooLarge(limit);
  return await lz4.decompressFrame(bytes);
}

const LZ4_MAGIC = 0x184d2204;

/**
 * The maximum decompressed size of an LZ4 frame, from its block headers: the library has no limit of its own. There must be
 * only one frame: the library would silently ignore everything behind the first.
 * https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md
 */
function mostOfLz4(bytes: Buffer): number {
  if (bytes.length < 7 || bytes.readUInt32LE(0) !== LZ4_MAGIC) throw new Error('it is not an LZ4 frame');
  const [flags, sizes] = [bytes.readUInt8(4), bytes.readUInt8(5)];
  const [hasBlockSums, hasSize, hasSum, hasDictionary] = [0x10, 0x08, 0x04, 0x01].map((bit) => (flags & bit) !== 0);
  const blockSize = 1 << (8 + 2 * ((sizes >> 4) & 0x07));
  let most = 0;
  for (let at = 7 + (hasSize ? 8 : 0) + (hasDictionary ? 4 : 0); ; ) {
    if (at + 4 > bytes.length) throw new Error('an LZ4 frame ends early');
    const size = bytes.readUInt32LE(at);
    at += 4;
    if (size === 0) {
      if (at + (hasSum ? 4 : 0) !== bytes.length) throw new Error('there is more than one LZ4 frame');
      return most;
    }
    const stored = size & 0x7fffffff;
    // An uncompressed block states its size. A compressed one expands to at most 255 bytes per byte.
    most += size === stored ? Math.min(blockSize, stored * 255) : stored;
    at += stored + (hasBlockSums ? 4 : 0);
  }
}
