/** `up`, `another`, `down`, `down-all` or `status` of stacks, from the current folder; prints what came of it as JSON. */
import process from 'node:process';
import { exportLines, stackDown, stackStatus, stackUp } from '../../src/tools/devservers/detached.ts';

const commands = {
  up: async () => exportLines(await stackUp()),
  another: async () => exportLines(await stackUp({ another: true })),
  down: async () => (await stackDown({ id: process.argv[3] })).map(({ folder }) => folder),
  'down-all': async () => (await stackDown({ all: true })).map(({ folder }) => folder),
  status: stackStatus,
};

const command = commands[process.argv[2] as keyof typeof commands];
console.log(JSON.stringify(await command()));
