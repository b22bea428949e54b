/** `up`, `another`, `down`, `down-all` or `status` of `recency stack`, in the current folder; prints the result as JSON. */
import process from 'node:process';
import { bringUp, detachedStatus, exportLines, takeDown } from '../../src/tools/devservers/detached.ts';

const commands = {
  up: async () => exportLines(await bringUp()),
  another: async () => exportLines(await bringUp({ another: true })),
  down: async () => (await takeDown({ id: process.argv[3] })).map(({ folder }) => folder),
  'down-all': async () => (await takeDown({ all: true })).map(({ folder }) => folder),
  status: detachedStatus,
};

const command = commands[process.argv[2] as keyof typeof commands];
console.log(JSON.stringify(await command()));
