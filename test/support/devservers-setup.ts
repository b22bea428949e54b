import type { TestProject } from 'vitest/node';
import { startDevServers } from '../../src/tools/devservers/devservers.ts';

/** Starts the servers once for the whole run; every test file gets their addresses by `inject`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const servers = await startDevServers({ install: true, log: (line) => console.log(line) });
  project.provide('mysqlUrl', servers.mysqlUrl);
  project.provide('redisUrl', servers.redisUrl);
  project.provide('kafkaBrokers', servers.kafkaBrokers);
  const sayMissing = () => {
    for (const { reason } of servers.missing) console.log(`Its tests are left out: ${reason}`);
  };
  sayMissing();
  return async () => {
    await servers.stop();
    sayMissing();
  };
}
