import { destination, type LogFn, type Logger, type LoggerOptions, pino, stdTimeFunctions } from 'pino';
import type { Config } from '../config/config.ts';

/**
 * Of an error only these fields are logged, beside its class, message, stack and causes. Clients hang more on their errors than
 * may be written down: ioredis the arguments of the command (AUTH has the password), mysql2 the statement, kafkajs requests.
 */
const ERROR_FIELDS = ['code', 'errno', 'sqlState', 'syscall', 'address', 'port'] as const;

/** Errors within errors, in this order. */
const INNER_ERRORS = ['cause', 'lastNodeError'] as const;

/** Levels of nested values that are logged, and entries of an array or an object. */
const DEEPEST = 5;
const MOST_ENTRIES = 100;

const SECRET_NAME = /^(.*(password|passphrase|secret)|tokens?|authorization|cookie|url|sql|args|parameters)$/i;

/** `scheme://user:password@`, as addresses stand in messages. */
const CREDENTIALS = /([a-z][a-z0-9+.-]*:\/\/[^\s/:@]*):[^\s/]*@/gi;

const HIDDEN = '[hidden]';

const OPTIONS: LoggerOptions = {
  timestamp: stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
  serializers: { err: (described: unknown) => described },
  // Every call passes here, whatever it is given and under whatever name.
  hooks: {
    logMethod(args, method) {
      const [first, text, ...more] = args as unknown[];
      const given = first instanceof Error ? [{ err: first }, text ?? first.message, ...more] : args;
      method.apply(this, given.map((value) => loggable(value)) as Parameters<LogFn>);
    },
  },
};

/**
 * The log: one JSON object a line. Written at once, so that nothing is missing when the process ends. Holds no secret:
 * errors are cut down to an allow list of fields, objects other than plain data to the name of their class, and passwords
 * in URLs are hidden.
 * @param process which of Recency's processes says so
 * @param fd 1: where the log is all that a process says; 2: beside a command's own output
 */
export function openLogger(config: Pick<Config, 'logLevel'>, process: string, fd: 1 | 2 = 1): Logger {
  const stream = destination({ fd, sync: true });
  return pino({ ...OPTIONS, level: config.logLevel, base: { process } }, stream);
}

/** The value as it may be logged. */
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
    ...Object.fromEntries(known.map((name) => [name, loggable(fields[name])])),
    ...Object.fromEntries(inner.map((name) => [name, loggable(fields[name], depth + 1)])),
    ...(error instanceof AggregateError ? { errors: loggable(error.errors, depth + 1) } : {}),
  };
}

function withoutCredentials(text: string): string {
  return text.includes('://') ? text.replace(CREDENTIALS, '$1:***@') : text;
}
