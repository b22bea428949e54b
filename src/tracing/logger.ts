import { destination, type LogFn, type Logger, type LoggerOptions, pino, stdTimeFunctions } from 'pino';
import type { Config } from '../config/config.ts';
import { traceLogFields } from './tracing.ts';

/**
 * Fields of an error that are logged, besides its class, message, stack, remedy and causes. The clients add others that must not be
 * logged: ioredis the arguments of the command (AUTH has the password), mysql2 the statement, kafkajs the request.
 */
const ERROR_FIELDS = ['code', 'errno', 'sqlState', 'syscall', 'address', 'port'] as const;

/** Fields that hold another error, in the order in which they are logged. */
const INNER_ERRORS = ['cause', 'lastNodeError'] as const;

/** Maximum depth of a value, and maximum number of entries of an array or an object. */
const DEEPEST = 5;
const MOST_ENTRIES = 100;

const SECRET_NAME = /^(.*(password|passphrase|secret)|tokens?|authorization|cookie|url|sql|args|parameters)$/i;

/** `scheme://user:password@`, as in the addresses of messages. */
const CREDENTIALS = /([a-z][a-z0-9+.-]*:\/\/[^\s/:@]*):[^\s/]*@/gi;

const HIDDEN = '[hidden]';

const OPTIONS: LoggerOptions = {
  timestamp: stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
  serializers: { err: (described: unknown) => described },
  mixin: () => ({ ...traceLogFields() }), // pino adds to this object
  // Every log call passes through this hook, whatever it logs and under whatever name.
  hooks: {
    logMethod(args, method) {
      const [first, text, ...more] = args as unknown[];
      const given = first instanceof Error ? [{ err: first }, text ?? first.message, ...more] : args;
      method.apply(this, given.map((value) => loggable(value)) as Parameters<LogFn>);
    },
  },
};

/**
 * Opens the log: one JSON object per line, written synchronously so that nothing is lost when the process ends. It holds no
 * secret: errors are reduced to an allow list of fields, objects other than plain data to the name of their class, and passwords
 * in URLs are hidden.
 * @param process name of the process that logs
 * @param fd 1 (stdout) for a process whose only output is the log; 2 (stderr) for a command
 */
export function openLogger(config: Pick<Config, 'logLevel'>, process: string, fd: 1 | 2 = 1): Logger {
  const stream = destination({ fd, sync: true });
  return pino({ ...OPTIONS, level: config.logLevel, base: { process } }, stream);
}

/** Returns the value without what must not be logged. */
export function loggable(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return withoutCredentials(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'function') return '[function]';
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return '[…]';
  if (value instanceof Error) return describeError(value, depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? String(value) : value.toISOString();
  if (Array.isArray(value)) return value.slice(0, MOST_ENTRIES).map((entry) => loggable(entry, depth + 1));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return `[${prototype.constructor?.name ?? 'object'}]`;
  const entries = Object.entries(value).slice(0, MOST_ENTRIES);
  return Object.fromEntries(
    entries.map(([name, entry]) => [name, SECRET_NAME.test(name) ? HIDDEN : loggable(entry, depth + 1)]),
  );
}

function describeError(error: Error, depth: number): Record<string, unknown> {
  const fields = error as Error & Record<string, unknown>;
  const known = ERROR_FIELDS.filter((name) => ['string', 'number'].includes(typeof fields[name]));
  const inner = INNER_ERRORS.filter((name) => fields[name] instanceof Error);
  return {
    type: error.name,
    message: withoutCredentials(String(error.message)),
    stack: withoutCredentials(String(error.stack ?? '')),
    ...(typeof fields.remedy === 'string' ? { remedy: withoutCredentials(fields.remedy) } : {}), // of a UserError
    ...Object.fromEntries(known.map((name) => [name, loggable(fields[name])])),
    ...Object.fromEntries(inner.map((name) => [name, loggable(fields[name], depth + 1)])),
    ...(error instanceof AggregateError ? { errors: loggable(error.errors, depth + 1) } : {}),
  };
}

function withoutCredentials(text: string): string {
  return text.includes('://') ? text.replace(CREDENTIALS, '$1:***@') : text;
}
