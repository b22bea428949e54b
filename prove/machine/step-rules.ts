import type { ApplyRequest, ReplaceRequest } from '../../src/index/contact-index.ts';
import type { Step } from '../../src/index/protocol.ts';
import type { Keyspace } from '../redis/keyspace.ts';
import type { Violation } from '../violation.ts';
import type { IndexKeys } from './index-contents.ts';

/** Checks I4, I6 and I9, which only a step itself can violate. `after` is a changed copy of `before`. */
export function brokenBy(
  step: Step,
  before: Keyspace,
  after: Keyspace,
  keys: IndexKeys,
  max: number,
): Violation | undefined {
  if (after.peak > max + 1) return { rule: 'I9', what: `a set held ${after.peak} members for an instant` };
  if (step.name !== 'apply' && step.name !== 'replace') return undefined;
  const requests = step.args[1] as readonly (ApplyRequest | ReplaceRequest)[];
  for (const { user, seen } of requests) {
    if (!keys.differs(before, after, user)) continue;
    if (keys.nonce(before, user) !== seen) {
      return { rule: 'I6', what: `${step.name} wrote the index of ${user} with a stale nonce` };
    }
    const [size, n] = [keys.size(after, user), keys.recordedSize(after, user)];
    if (n !== undefined && n !== size) {
      return { rule: 'I4', what: `${step.name} left ${user} with n = ${n} and ${size} members` };
    }
  }
  return undefined;
}
