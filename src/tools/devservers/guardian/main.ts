/**
 * The process that owns the servers. It starts them for the process that started it, and ends them when that one is
 * gone, however it went: the channel between the two closes even after a kill -9. It runs in a session of its own, so
 * neither Ctrl-C nor a signal to the process group reaches it or its servers.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { ServerOwner } from './owner.ts';
import type { GuardianMethods, Reply, Request } from './protocol.ts';
import { OWNER_FILE, RUN_PREFIX, sweep } from './sweep.ts';

const dir = mkdtempSync(join(tmpdir(), RUN_PREFIX));
writeFileSync(join(dir, OWNER_FILE), `${process.pid}`);
const owner = new ServerOwner(dir);
let detached = false;

const methods: { [name in keyof GuardianMethods]: (request: Request) => Promise<unknown> } = {
  launch: ({ id, args }) => owner.launch(args[0] as never, (line) => send({ kind: 'log', id, line })),
  stop: ({ args }) => owner.stop(args[0] as number),
  kill: ({ args }) => owner.kill(args[0] as number, args[1] as NodeJS.Signals),
  restart: ({ args }) => owner.restart(args[0] as number),
  remove: ({ args }) => owner.remove(args[0] as number),
  detach: async () => {
    detached = true;
  },
};

async function answer(request: Request): Promise<void> {
  const { id } = request;
  try {
    send({ kind: 'result', id, value: await methods[request.method](request) });
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    send({ kind: 'error', id, name, message });
  }
}

/** Nobody is left to hear once the channel is closed; what was asked for is ended anyway. */
function send(reply: Reply): void {
  if (process.connected) process.send?.(reply, undefined, {}, () => undefined);
}

async function close(): Promise<void> {
  try {
    await owner.close();
    process.exit(0);
  } catch (error) {
    console.error(error);
    process.exit(1);
  }
}

process.stderr.on('error', () => undefined); // the other end is gone, and with it whoever would have read
process.on('message', (request) => void answer(request as Request));
process.on('disconnect', () => {
  if (!detached) void close();
});
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void close());
if (!process.connected) void close();
setInterval(() => undefined, 2 ** 30); // once detached, containers alone would not keep it running
send({ kind: 'ready', dir });
sweep().catch((error: unknown) => console.error(error));
