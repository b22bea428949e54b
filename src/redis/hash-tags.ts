/** How many hash tags the users are spread over; on a cluster, a page of users takes at most as many calls. */
export const BUCKETS = 256;

/** Of the keys of delayed work. */
export const DELAY_TAG = 'delay';

/** Of all keys that must not come back as they were. Streams have a record of their own. */
export const HASH_TAGS: readonly string[] = [...Array.from({ length: BUCKETS }, (_, i) => String(i)), DELAY_TAG];
