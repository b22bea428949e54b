import { existsSync } from 'node:fs';
import { describe, it, onTestFinished } from 'vitest';
import { jarsFolder } from '../../src/tools/devservers/launch/kafka-runtime.ts';
import { FailoverSite } from '../support/failover-site.ts';
import { KafkaTrio } from '../support/kafka-trio.ts';
import { serviceSettings } from '../support/service-settings.ts';

// The run's own broker, where it is a program, has brought them.
describe.runIf(existsSync(jarsFolder()))(
  'Kafka, three brokers (programs: two of them must reach the third)',
  { timeout: 600_000 },
  () => {
    it('0 wrong: one is killed, then a second one, and they come back', async () => {
      const trio = await KafkaTrio.start();
      onTestFinished(() => trio[Symbol.asyncDispose]());
      const site = await FailoverSite.open({
        settings: { ...(await serviceSettings('kafka')), KAFKA_BROKERS: trio.urls },
      });
      for (const [killed, other] of [
        [0, 1],
        [2, 0],
      ] as const) {
        await site.more(30);
        const one = Date.now();
        await trio.kill(killed);
        await site.restored('three brokers, one killed', one);
        await site.more(30);
        await trio.kill(other);
        await site.lags();
        const back = Date.now();
        await trio.start(other);
        await site.restored('three brokers, the second one of two killed is back', back);
        await trio.start(killed);
        await site.more(30);
      }
      await site.finish('Kafka with three brokers');
    });
  },
);
