/** https://kafka.apache.org/protocol#protocol_api_keys */
export const CREATE_TOPICS = 19;

/** A request's api key (https://kafka.apache.org/protocol#protocol_api_keys); undefined: these are several requests, or a part of one. */
export const keyOf = (sent: Buffer) => (sent.readInt32BE(0) + 4 === sent.length ? sent.readInt16BE(4) : undefined);

/** The reply to a request, of versions that begin with throttle_time_ms. @param body what follows that */
export function replyTo(request: Buffer, body: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeInt32BE(head.length - 4 + body.length, 0);
  request.copy(head, 4, 8, 12); // correlation id
  return Buffer.concat([head, body]);
}

export function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
