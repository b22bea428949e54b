import type { Task } from '../../src/client.ts';

interface Example {
  readonly task: Task;
  /** What shows the change in a read of a follower. */
  readonly token: string;
  /** Whose own change it is, if it is somebody's. */
  readonly reader?: string;
}

const GREATEST = '18446744073709551615';

/** One task of every type. */
export const EVERY_TASK: readonly Example[] = [
  {
    task: { type: 'recency.contact.added', user: '42', contact: GREATEST, version: '3' },
    token: `contact=${GREATEST}@3`,
    reader: '42',
  },
  { task: { type: 'recency.contact.removed', user: '42', contact: '7' }, token: 'contact=7', reader: '42' },
  {
    task: { type: 'recency.contact.changed', user: '42', contact: '7', version: '9007199254740993' },
    token: 'contact=7@9007199254740993',
    reader: '42',
  },
  {
    task: { type: 'recency.photo.uploaded', owner: '7', photo: '100', at: 1_083_412_800_123 },
    token: 'contact=7',
  },
  { task: { type: 'recency.photo.deleted', owner: '7', photo: GREATEST }, token: 'contact=7' },
  { task: { type: 'recency.photo.visibility_changed', owner: '7' }, token: 'contact=7' },
  { task: { type: 'recency.group.joined', user: '42', group: '12', version: '1' }, token: 'group=12@1', reader: '42' },
  { task: { type: 'recency.group.left', user: '42', group: '42' }, token: 'group=42', reader: '42' },
  { task: { type: 'recency.group.changed', user: '42', group: GREATEST }, token: `group=${GREATEST}`, reader: '42' },
  { task: { type: 'recency.group_photo.added', group: '12', photo: '100', at: 0 }, token: 'group=12' },
  { task: { type: 'recency.group_photo.removed', group: '12', photo: '100' }, token: 'group=12' },
  { task: { type: 'recency.group_photo.visibility_changed', group: '12' }, token: 'group=12' },
  { task: { type: 'recency.user.changed', user: '7' }, token: 'contact=7' },
  { task: { type: 'recency.user.deleted', user: '7' }, token: 'contact=7' },
];
