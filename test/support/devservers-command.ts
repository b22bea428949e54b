/**
 * `up`, `down`, `down-all` or `status` of `recency stack`, in the current folder; prints the result as JSON. After `up`: the servers, where
 * not all of them are wanted.
 */
import process from 'node:process';
import { bringUp, detachedStatus, exportLines, takeDown } from '../../src/tools/devservers/detached.ts';

const more = process.argv.slice(3);
const isWanted = (name: string) => more.length === 0 || more.includes(name);

const commands = {
  up: async () =>
    exportLines(await bringUp({ mysql: isWanted('mysql'), redis: isWanted('redis'), kafka: isWanted('kafka') })),
  down: async () => (await takeDown({ id: more[0] })).map(({ folder }) => folder),
  'down-all': async () => (await takeDown({ all: true })).map(({ folder }) => folder),
  status: detachedStatus,
};

const command = commands[process.argv[2] as keyof typeof commands];
console.log(JSON.stringify(await command()));
