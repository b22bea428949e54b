import type { ApplyRequest, ReplaceRequest } from '../../src/index/contact-index.ts';
import type { Keyspace } from '../redis/keyspace.ts';
import type { Violation } from '../violation.ts';
import type { IndexKeys } from './index-contents.ts';
import type { KindStep } from './operations.ts';

/** Checks I4, I6 and I9, which only a step itself can violate. `after` is a changed copy of `before`. */
export function brokenBy(
  step: KindStep,
  before: Keyspace,
  after: Keyspace,
  keys: IndexKeys,
  max: number,
): Violation | undefined {
  if (after.peak > max + 1) return { rule: 'I9', what: `a set held ${after.peak} members for an instant` };
  if (step.name !== 'apply' && step.name !== 'replace') return undefined;
  const requests = step.args[1] as readonly (ApplyRequest | ReplaceRequest)[];
  for (const { user, seen } of requests) {
    const owner = { kind: step.of, user };
    if (!keys.differs(before, after, owner)) continue;
    if (keys.nonce(before, owner) !== seen) {
      return { rule: 'I6', what: `${step.name} wrote the index of ${user} with a stale nonce` };
    }
    const [size, n] = [keys.size(after, owner), keys.recordedSize(after, owner)];
    if (n !== undefined && n !== size) {
      return { rule: 'I4', what: `${step.name} left ${user} with n = ${n} and ${size} members` };
    }
  }
  return undefined;
}
