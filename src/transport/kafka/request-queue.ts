import { createRequire } from 'node:module';

/**
 * kafkajs 2.2.4 sets a timer whenever it looks at its queue of requests, also when nothing waits, and then with a
 * negative delay. That costs 3% of a core in an idle process (tulios/kafkajs#1751), and on Node 24 it prints
 * TimeoutNegativeWarning and spins. A timer is needed only while requests wait: each answer looks at the queue, too.
 */

interface RequestQueue {
  readonly pending: readonly unknown[];
  /** ms since 1970; −1 when the broker does not throttle. */
  readonly throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
}

/** As in kafkajs. */
const CHECK_INTERVAL_MS = 10;

const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js') as {
  prototype: RequestQueue;
};

if (typeof prototype.scheduleCheckPendingRequests !== 'function') {
  throw new Error('kafkajs has no RequestQueue.scheduleCheckPendingRequests: it must be the version in the lock file');
}

prototype.scheduleCheckPendingRequests = function (this: RequestQueue) {
  if (this.pending.length === 0 || this.throttleCheckTimeoutId !== null) return;
  const delay = Math.max(this.throttledUntil - Date.now(), CHECK_INTERVAL_MS);
  this.throttleCheckTimeoutId = setTimeout(() => {
    this.throttleCheckTimeoutId = null;
    this.checkPendingRequests();
  }, delay);
};
