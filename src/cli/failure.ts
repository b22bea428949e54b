import { refusalOf } from '../redis/unavailable.ts';
import { EXIT, type ExitCode } from './exit-code.ts';

/** What a person is told of an error, and how the command ends. */
export interface Failure {
  readonly message: string;
  readonly exitCode: ExitCode;
}

/** By the name of their class, because most of the modules that define them are not loaded unless they are used. */
const WRONG_USE = new Set(['UsageError', 'ConfigError', 'InvalidJob']);

/** Their messages say what is wrong and how to mend it. */
const OPERATIONAL = new Set([
  'StartError',
  'SchemaError',
  'SiteError',
  'PartUnavailable',
  'ListenError',
  'EpochMissing',
  'EpochSuspended',
  'Interrupted',
  'LeaseTaken',
  'LeaseLost',
  'StaleFence',
  'KafkaPermissionMissing',
  'MessageRefused',
]);

/** A server that worked and then went away, or takes no more. Their messages say what happened. */
const AWAY: Readonly<Record<string, string>> = {
  StatementTooSlow: 'It takes longer than it may; `recency doctor` says whether an index is missing.',
  DatabaseUnavailable: 'Look whether MySQL runs; `recency doctor` says more.',
  RedisUnavailable: 'Look whether Redis runs; `recency doctor` says more.',
  TransportFull: 'Try again when the consumers have caught up; `recency doctor` says more.',
  KafkaUnavailable: 'Look whether the brokers run; `recency doctor` says more.',
  PartlySent: 'Run it again: a task that comes twice does no harm.',
};

/** An error that is nobody's fault outside the program keeps its stack: it is for whoever mends the program. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { message: String(error), exitCode: EXIT.failed };
  if (WRONG_USE.has(error.name)) return { message: error.message, exitCode: EXIT.wrongUse };
  if (OPERATIONAL.has(error.name)) return { message: error.message, exitCode: EXIT.failed };
  const fix = error.name === 'RedisUnavailable' ? (refusalOf(error)?.remedy ?? AWAY[error.name]) : AWAY[error.name];
  if (fix !== undefined) return { message: `${error.message.replace(/\.$/, '')}. ${fix}`, exitCode: EXIT.failed };
  if ('sqlMessage' in error) return { message: `MySQL refuses: ${error.sqlMessage}`, exitCode: EXIT.failed };
  if (error.name === 'ReplyError') return { message: `Redis refuses: ${error.message}`, exitCode: EXIT.failed };
  return { message: `This should not have happened: ${error.stack ?? error.message}`, exitCode: EXIT.failed };
}
