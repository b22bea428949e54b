import { describe, expect, it } from 'vitest';
import { adoptSettings, agreeOnSettings } from '../../src/app/shared-settings.ts';
import { StartError } from '../../src/config/start-error.ts';
import type { Notification } from '../../src/push/channel.ts';
import { openKafkaChannel } from '../../src/push/open-kafka-channel.ts';
import type { Settings } from '../support/cli.ts';
import { kafkaBehindProxy } from '../support/kafka-behind-proxy.ts';
import { CREATE_TOPICS, keyOf } from '../support/kafka-requests.ts';
import { openedProcess, readyTransport } from '../support/opened-process.ts';
import { freshName, hasKafka, kafkaBrokers, withAdmin } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';

const [other = ''] = hasKafka() ? kafkaBrokers() : [];

const NOTIFICATION: Notification = {
  ...{ id: 'a', watch: '1', user: '2', timestamp: 1, sources: [], more: false, isTest: true },
  target: { channel: 'kafka', secrets: [] },
};

function openChannel(settings: Settings & { MYSQL_URL: string }) {
  const opened = openedProcess(settings);
  const { channel, kafka } = openKafkaChannel(opened, opened.primary);
  return { kafka, deliver: async () => await channel.deliver([NOTIFICATION])[0] };
}

/** Remembers where the tasks are, as a process does at its start. */
async function beginOn(settings: Settings & { MYSQL_URL: string }): Promise<void> {
  const { primary, config } = openedProcess(settings);
  await agreeOnSettings(primary, config, await readyTransport(settings));
}

const topicsOf = async (broker: string) => await withAdmin((admin) => admin.listTopics(), [broker]);

describe.runIf(hasKafka())('notifications', () => {
  it.each(['kafka', 'streams'] as const)(
    'go to no other cluster of Kafka than before, and the process ends (tasks on %s)',
    async (transport) => {
      const { proxy, address } = await kafkaBehindProxy();
      const activity = freshName();
      const settings = { ...(await serviceSettings(transport)), KAFKA_BROKERS: address, ACTIVITY_TOPIC: activity };
      await beginOn(settings);
      const { deliver, kafka } = openChannel(settings);
      expect(await deliver()).toEqual({ is: 'delivered' });

      proxy.leadTo(`kafka://${other}`);
      const why = expect.stringMatching(/^Kafka at \S+ is the cluster \S+, but this process works on /);
      expect(await deliver()).toEqual({ is: 'failed', why });
      expect(await deliver()).toEqual({ is: 'failed', why });
      expect(await topicsOf(other)).not.toContain(activity);
      await expect(kafka.location()).rejects.toThrow(StartError);
    },
  );

  it('go only to the cluster that the tasks are on', async () => {
    const { address } = await kafkaBehindProxy();
    const activity = freshName();
    const settings = { ...(await serviceSettings('kafka')), KAFKA_BROKERS: address, ACTIVITY_TOPIC: activity };
    await beginOn(settings);
    const { deliver } = openChannel({ ...settings, KAFKA_BROKERS: other });
    const why = expect.stringMatching(/^RECENCY_KAFKA_BROKERS is "cluster \S+" here, but/);
    expect(await deliver()).toEqual({ is: 'failed', why });
    expect(await topicsOf(other)).not.toContain(activity);
  });

  it('are not confirmed when another cluster was adopted while they were sent', async () => {
    const { proxy, address } = await kafkaBehindProxy();
    const settings = { ...(await serviceSettings('kafka')), KAFKA_BROKERS: address, ACTIVITY_TOPIC: freshName() };
    await beginOn(settings);
    const { deliver } = openChannel(settings);
    const { config, primary } = openedProcess(settings);
    const elsewhere = { location: async () => new Map([['KAFKA_BROKERS:cluster', 'cluster elsewhere']]) };
    let adopted: Promise<void> | undefined;
    proxy.answer = (request) => {
      if (keyOf(request) === CREATE_TOPICS) adopted ??= adoptSettings(primary, config, elsewhere);
      return undefined;
    };
    const why = expect.stringMatching(/^RECENCY_KAFKA_BROKERS is "cluster \S+" here, but .* "cluster elsewhere"/);
    expect(await deliver()).toEqual({ is: 'failed', why });
    await adopted;
    expect(await withAdmin((admin) => admin.fetchTopicOffsets(settings.ACTIVITY_TOPIC), [address])).toContainEqual(
      expect.objectContaining({ high: '1' }),
    );
  });
});
