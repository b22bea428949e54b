import type { Key } from '../../src/contracts/key.ts';
import type { Step, StepName, Steps } from '../../src/index/protocol.ts';
import type { Pair, PairRows } from '../../src/mysql/statements/pairs.ts';
import { isFailure } from '../machine/failure.ts';
import { textOf } from './checks.ts';

type Texts = {
  readonly [N in Exclude<StepName, 'signal' | 'watchedFollowers'>]: (
    args: Parameters<Steps[N]>,
    reply: Awaited<ReturnType<Steps[N]>>,
  ) => string;
};

/** Describes a step and its reply. */
const TEXTS: Texts = {
  nonces: ([users], nonces) =>
    users.map((user, i) => `reads the nonce of ${user}${nonces[i] === '' ? ': none' : ''}`).join(', '),
  pairs: rowsText,
  neighbours: rowsText,
  topContacts: ([users], { epoch, tops }) =>
    `reads MySQL (${epoch}): ${users.map((user, i) => `the best of ${user}: ${textOf(tops[i] ?? [])}`).join(', ')}`,
  allowances: ([users], allowances) =>
    `counts rows: ${users.map((user, i) => `an index of ${user} ${allowances[i] === undefined ? 'does not pay' : `takes ${allowances[i]}`}`).join(', ')}`,
  owners: ([users], owners) => `reads MySQL: of ${users.join(', ')} there is ${owners.join(', ') || 'nobody'}`,
  followers: ([wanted], pages) =>
    `reads MySQL: ${wanted.map(({ owner, after }, i) => `followers of ${owner} after ${after}: ${pages[i]?.join(' ') || 'none'}`).join(', ')}`,
  apply: ([epoch, requests], outcomes) =>
    requests
      .map(({ user, changes }, i) => `writes ${changesText(changes)} into ${user} (${epoch}): ${outcomes[i]}`)
      .join(', ') || 'writes nothing',
  claim: ([users]) => `claims ${users.join(', ')}`,
  replace: ([epoch, requests], outcomes) =>
    requests
      .map(
        ({ user, top }, i) =>
          `replaces ${user} by ${top === undefined ? 'none' : textOf(top)} (${epoch}): ${outcomes[i]}`,
      )
      .join(', '),
  drop: ([users]) => `drops ${users.join(', ')}`,
  forget: ([users]) => `forgets ${users.join(', ')}`,
  followerAt: ([{ owner, after }, count], user) =>
    `reads MySQL: follower ${count} of ${owner} after ${after}: ${user ?? 'none'}`,
  currentEpoch: (_none, epoch) => `reads MySQL: the epoch is ${epoch}`,
  beginPlan: ([epoch, owner], plan) =>
    plan === undefined ? `finds that a plan for ${owner} waits` : `begins ${plan} for ${owner} (${epoch})`,
  notedPlan: ([_epoch, owner], place) =>
    place === undefined ? `finds no plan noted for ${owner}` : `reads that the plan for ${owner} is at ${place}`,
  isWaiting: ([place], isWaiting) => `finds ${isWaiting ? 'that it waits' : 'that it does not wait'} at ${place}`,
  publish: ([tasks]) =>
    tasks
      .map((task) =>
        'part' in task
          ? `publishes a segment of ${task.owner} (${task.after ?? '-∞'}, ${task.through ?? '∞'}]`
          : `publishes ${task.plan} for ${task.owner}`,
      )
      .join(', '),
  planPublished: ([_epoch, owner, plan]) => `notes that ${plan} for ${owner} is published`,
  takePlan: ([owner, plan]) => `removes the note of ${plan} for ${owner}`,
  defer: ([{ pairs, rebuilds }]) =>
    `puts off ${[...pairs.map(({ user, contact }) => `${user} → ${contact}`), ...rebuilds.map((user) => `the rebuild of ${user}`)].join(', ')}`,
  recheck: ([pairs, attempt]) =>
    `looks again later (${attempt}) for ${pairs.map(({ user, contact, version }) => `${user} → ${contact} version ${version}`).join(', ')}`,
};

export function stepText(step: Step, reply: unknown): string {
  if (isFailure(reply)) return `fails at ${step.name}: ${reply.failure}`;
  return (TEXTS[step.name as keyof Texts] as (args: unknown, reply: unknown) => string)(step.args, reply);
}

function rowsText([pairs]: readonly [readonly Pair[], ...unknown[]], { epoch, rows }: PairRows): string {
  const told = pairs.map(({ user, contact }) => {
    const row = rows.find((other) => other.user === user && other.contact === contact);
    return `${user} → ${contact}: ${row === undefined ? 'no row' : row.related ? `related, last upload ${row.lastUploadAt}` : 'not related'}`;
  });
  return `reads MySQL (${epoch}): ${told.join(', ')}`;
}

function changesText(changes: readonly Key[]): string {
  return changes.map(({ id, at }) => (at > 0 ? `${id}@${at}` : `no ${id}`)).join(' ');
}
