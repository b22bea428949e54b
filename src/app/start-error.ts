import { type TlsFault, type TlsSettings, tlsFaultOf, tlsSentence } from '../config/tls.ts';
import { UserError } from '../contracts/user-error.ts';

/** A process cannot start, or a command cannot go on, for a reason outside it. The message says what is wrong and how to mend it. */
export class StartError extends UserError {
  override readonly name = 'StartError';
}

/** The same, because a server does not answer: the same start may succeed a little later. */
export class ServerAway extends StartError {}

const names = (kind: string, tls: string): TlsSettings => ({
  ca: `RECENCY_${kind}_TLS_CA`,
  cert: `RECENCY_${kind}_TLS_CERT`,
  tls,
});

/** @param setting that of the address, by which TLS is asked for of Redis */
const SETTINGS: Readonly<Record<'MySQL' | 'Redis' | 'Kafka', (setting: string) => TlsSettings>> = {
  MySQL: () => names('MYSQL', 'RECENCY_MYSQL_TLS'),
  Redis: (setting) => names('REDIS', setting),
  Kafka: () => names('KAFKA', 'RECENCY_KAFKA_TLS'),
};

/**
 * A certificate that one of both sides does not accept is not waited for.
 * @param setting that of the address
 * @returns the error to end a start with, naming the setting and the reason; undefined: TLS is not what is wrong
 */
export function tlsStartError(
  error: unknown,
  { kind, address, setting }: { kind: 'MySQL' | 'Redis' | 'Kafka'; address: string; setting: string },
): StartError | undefined {
  const fault: TlsFault | undefined = tlsFaultOf(error);
  if (fault === undefined) return undefined;
  return new StartError(tlsSentence(fault, `${kind} at ${address}`, SETTINGS[kind](setting)), { cause: error });
}
