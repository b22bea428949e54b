import { destination, type Logger, type LoggerOptions, pino, stdTimeFunctions } from 'pino';
import type { Config } from '../config/config.ts';

const OPTIONS: LoggerOptions = {
  timestamp: stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
  redact: ['password', '*.password', '*.headers.authorization', 'headers.authorization', '*.url', 'url'],
};

/**
 * The log: one JSON object a line. Written at once, so that nothing is missing when the process ends.
 * @param process which of Recency's processes says so
 * @param fd 1: where the log is all that a process says; 2: beside a command's own output
 */
export function openLogger(config: Pick<Config, 'logLevel'>, process: string, fd: 1 | 2 = 1): Logger {
  const stream = destination({ fd, sync: true });
  return pino({ ...OPTIONS, level: config.logLevel, base: { process } }, stream);
}
