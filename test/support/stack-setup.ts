import type { TestProject } from 'vitest/node';
import { startStack } from '../../src/tools/devservers/stack.ts';

/** Starts the servers once for the whole run; every test file gets their addresses by `inject`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stack = await startStack({ log: (line) => console.log(line) });
  project.provide('mysqlUrl', stack.mysqlUrl);
  project.provide('redisUrl', stack.redisUrl);
  project.provide('kafkaBrokers', stack.kafkaBrokers);
  const sayMissing = () => {
    for (const { reason } of stack.missing) console.log(`Its tests are left out: ${reason}`);
  };
  sayMissing();
  return async () => {
    await stack.stop();
    sayMissing();
  };
}
