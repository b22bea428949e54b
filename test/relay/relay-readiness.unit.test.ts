import { describe, expect, it } from 'vitest';
import { checkedPublisher } from '../../src/app/checks.ts';
import {
  MessageRefused,
  type OutgoingTask,
  PartlyPublished,
  TransportFull,
} from '../../src/transport/task-publisher.ts';
import { freshTasks } from '../transport/outgoing-task.ts';

const away = new Error('its partition has no leader');
const refused = new MessageRefused('too large');
const full = new TransportFull('1000 of 1000');

const partly = (...reasons: Error[]) =>
  new PartlyPublished(new Map(reasons.map((reason) => [freshTasks(1)[0] as OutgoingTask, reason])));

/** Fails as it is told to. */
function scripted() {
  const failures: { publish?: Error; checkRoom?: Error } = {};
  const act = (what: keyof typeof failures) => async () => {
    const error = failures[what];
    if (error !== undefined) throw error;
  };
  const watched = checkedPublisher({ publish: act('publish'), checkRoom: act('checkRoom') });
  return { failures, watched, publish: () => watched.publish([]).catch(() => undefined) };
}

describe('a relay is ready', () => {
  it.each([
    ['rows are refused', partly(refused)],
    ['rows are tried again', partly(away)],
    ['transport is away', away],
  ])('again when it has published: not while its %s', async (_what, error) => {
    const { failures, watched, publish } = scripted();
    failures.publish = error;
    await publish();
    await expect(watched.check()).rejects.toBe(error);
    delete failures.publish;
    await publish();
    expect(await watched.check()).toBeUndefined();
  });

  it('again as soon as there is room, though there is nothing to publish', async () => {
    const { failures, watched, publish } = scripted();
    failures.publish = full;
    await publish();
    await expect(watched.check()).rejects.toBe(full);
    await watched.checkRoom();
    expect(await watched.check()).toBeUndefined();
    failures.checkRoom = full;
    await expect(watched.checkRoom()).rejects.toBe(full);
    await expect(watched.check()).rejects.toBe(full);
    delete failures.checkRoom;
    await watched.checkRoom();
    expect(await watched.check()).toBeUndefined();
  });
});
