/** `up`, `down` or `status` of a stack in the current folder; prints what came of it as JSON. */
import process from 'node:process';
import { exportLines, stackDown, stackStatus, stackUp } from '../../src/stack/detached.ts';

const commands = {
  up: async () => exportLines(await stackUp()),
  down: stackDown,
  status: async () => (await stackStatus()) ?? null,
};

const command = commands[process.argv[2] as keyof typeof commands];
console.log(JSON.stringify(await command()));
