import { Kafka, logLevel } from 'kafkajs';
import { describe, it, onTestFinished } from 'vitest';
import { startKafka } from '../../src/tools/devservers/start-server.ts';
import { startProcess } from '../support/cli.ts';
import { indexedSite } from '../support/indexed-site.ts';
import { hasKafka, withAdmin } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { freshSitePool } from '../support/small-site.ts';
import { until } from '../support/until.ts';
import { WatchedSite } from '../support/watched-site.ts';

const USERS = ['1', '2', '3', '4', '5', '6'];
const CONTACTS = Array.from({ length: 8 }, (_, i) => String(101 + i));

describe.runIf(hasKafka())('watches whose notifications go to a topic', () => {
  it('are told when the broker, which carries the tasks as well, is killed and restarted', async () => {
    const broker = await startKafka();
    onTestFinished(() => broker.remove());
    const shared = await serviceSettings('kafka');
    const topic = `${shared.TOPIC}.activity`;
    const settings = { ...shared, KAFKA_BROKERS: broker.url, ACTIVITY_TOPIC: topic };
    const site = new WatchedSite(freshSitePool(settings.MYSQL_URL), USERS, CONTACTS);
    await indexedSite(settings, USERS, CONTACTS);
    await startProcess('relay', settings);
    await startProcess('consume', settings);
    await startProcess('notify', settings);
    const serve = await startProcess('serve', settings);
    await site.watch(String(/"address":"([^"]+)"/.exec(serve.stdout)?.[1]), { channel: 'kafka' });

    await site.uploads();
    await until(async () => (await withAdmin((admin) => admin.listTopics(), [broker.url])).includes(topic));
    await receive(broker.url, topic, site);
    await site.allTold();
    await Promise.all([site.uploads(), broker.kill()]);
    await site.uploads();
    await broker.restart();
    await site.allTold();
    await site.uploads();
    await site.allTold();
  });
});

/** Gives the site what is in the topic and what will be. */
async function receive(broker: string, topic: string, site: WatchedSite): Promise<void> {
  const retry = { initialRetryTime: 100, maxRetryTime: 1_000, retries: 1_000 };
  const kafka = new Kafka({ brokers: [broker], logLevel: logLevel.NOTHING, retry });
  const consumer = kafka.consumer({ groupId: `${topic}.test`, retry });
  onTestFinished(() => consumer.disconnect());
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message: { headers, value } }) => site.receive(String(headers?.ce_id), String(value)),
  });
}
