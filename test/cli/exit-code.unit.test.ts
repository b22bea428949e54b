import { readFileSync } from 'node:fs';
import { KafkaJSConnectionError, KafkaJSNonRetriableError } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { EXIT, failureOf } from '../../src/cli/exit-code.ts';

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe('what the command line prints about an error', () => {
  it('of the operating system: its own words, with the file', () => {
    const error = thrownBy(() => readFileSync('/nowhere/at/all'));
    const message = "The operating system refuses: ENOENT: no such file or directory, open '/nowhere/at/all'";
    expect(failureOf(error)).toEqual({ message, exitCode: EXIT.failed });
  });

  it('of Kafka: whether it is unavailable or refuses, without a stack', () => {
    const reset = new KafkaJSConnectionError('Connection error: read ECONNRESET', {});
    expect(failureOf(reset)).toEqual({
      message: 'Kafka is unavailable: Connection error: read ECONNRESET',
      exitCode: EXIT.failed,
    });
    const refused = failureOf(new KafkaJSNonRetriableError('Invalid topic'));
    expect(refused).toEqual({ message: 'Kafka refuses: Invalid topic', exitCode: EXIT.failed });
  });

  it('of the program: its stack', () => {
    const { message, exitCode } = failureOf(new TypeError('a mistake'));
    expect(message).toMatch(/^This should not have happened: TypeError: a mistake\n {4}at /);
    expect(exitCode).toBe(EXIT.failed);
  });
});
