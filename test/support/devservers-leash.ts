/**
 * Takes down the servers of the current folder and removes the folder, once its input ends: when the test that started
 * it is done, and also when the whole test run was killed.
 */
import { rmSync } from 'node:fs';
import process from 'node:process';
import { takeDown } from '../../src/tools/devservers/detached.ts';

for await (const _ of process.stdin);
await takeDown();
rmSync(process.cwd(), { recursive: true, force: true });
