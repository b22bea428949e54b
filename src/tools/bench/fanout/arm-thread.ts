/** The thread of one arm: does what it is asked, one thing after the other, until it is ended. */
import { parentPort, workerData } from 'node:worker_threads';
import { type ArmGround, openArm } from './open-arm.ts';
import type { ArmCall, ArmReply } from './threaded-arm.ts';

const reply = (message: ArmReply) => parentPort?.postMessage(message);

const arm = await openArm(workerData as ArmGround);
parentPort?.on('message', async ({ method, args }: ArmCall) => {
  try {
    reply({ value: await (arm[method] as (...args: unknown[]) => Promise<unknown>)(...args) });
  } catch (error) {
    reply({ error: error instanceof Error ? error : new Error(String(error)) });
  }
});
reply({ value: arm.parts });
