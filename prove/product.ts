/** The product code under proof. `load-product.ts` loads it, with or without patches. */
export { doDelayed } from '../src/consumers/delayed-worker.ts';
export { planWork, stagesOf } from '../src/consumers/work-plan.ts';
export { DelayedWork } from '../src/index/delayed-work.ts';
export { rebuild } from '../src/index/rebuild.ts';
export { KeyNames } from '../src/index/redis/keys.ts';
export { RedisContactIndex } from '../src/index/redis/redis-contact-index.ts';
export { WaitingPlans } from '../src/index/redis/waiting-plans.ts';
export { refresh } from '../src/index/refresh.ts';
export { check, settle } from '../src/push/check.ts';
export { enroll, subscribe } from '../src/push/subscribe.ts';
export { RecentContacts } from '../src/query/recent-contacts.ts';
export { DelayQueue } from '../src/redis/delay-queue.ts';
