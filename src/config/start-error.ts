import { UserError } from '../contracts/user-error.ts';
import { type TlsFault, type TlsSettings, tlsFaultOf, tlsSentence } from './tls.ts';

/** A process cannot start, or a command cannot continue, for a reason outside it. The message says what is wrong and how to fix it. */
export class StartError extends UserError {
  override readonly name = 'StartError';
}

/** A server does not answer: the same start may succeed a little later. */
export class ServerAway extends StartError {}

const names = (kind: string, tls: string): TlsSettings => ({
  ca: `RECENCY_${kind}_TLS_CA`,
  cert: `RECENCY_${kind}_TLS_CERT`,
  tls,
});

/** @param setting the setting of the address, which requests TLS for Redis */
const SETTINGS: Readonly<Record<'MySQL' | 'Redis' | 'Kafka', (setting: string) => TlsSettings>> = {
  MySQL: () => names('MYSQL', 'RECENCY_MYSQL_TLS'),
  Redis: (setting) => names('REDIS', setting),
  Kafka: () => names('KAFKA', 'RECENCY_KAFKA_TLS'),
};

/**
 * The StartError for a TLS failure, which a start does not retry.
 * @param setting the setting of the address
 * @returns an error that names the setting and the reason; undefined when `error` is not about TLS
 */
export function tlsStartError(
  error: unknown,
  { kind, address, setting }: { kind: 'MySQL' | 'Redis' | 'Kafka'; address: string; setting: string },
): StartError | undefined {
  const fault: TlsFault | undefined = tlsFaultOf(error);
  if (fault === undefined) return undefined;
  return new StartError(tlsSentence(fault, `${kind} at ${address}`, SETTINGS[kind](setting)), { cause: error });
}
