import { freePort } from '../../devservers/launch/free-port.ts';
import { type HttpAnswer, HttpClient } from '../http.ts';
import { poll } from '../poll.ts';
import { type ProcessGroup, RECENCY } from './process-group.ts';

const READY_TIMEOUT_MS = 60_000;
const LOOK_MS = 50;

/**
 * Starts Recency's API in its own process. `untilReady` throws when it does not get ready.
 * @param args of `recency serve`
 */
export async function launchApi(processGroup: ProcessGroup, name = 'api', args: readonly string[] = []) {
  const port = String(await freePort());
  const settings = { HOST: '127.0.0.1', PORT: port };
  const member = processGroup.start({ name, module: RECENCY, args: ['serve', ...args], settings });
  const url = `http://127.0.0.1:${port}`;
  return { url, member, untilReady: () => untilReady(processGroup, url) };
}

async function untilReady(processGroup: ProcessGroup, url: string): Promise<void> {
  const client = new HttpClient(url);
  const look = () => Promise.race([processGroup.failed, client.get('/readyz?verbose').catch(() => undefined)]);
  const answer = await poll(look, isReady, { everyMs: LOOK_MS, timeoutMs: READY_TIMEOUT_MS });
  if (!isReady(answer)) throw new Error(`the API is not ready: ${answer?.body ?? 'it does not answer'}`);
}

function isReady(answer: HttpAnswer | undefined): boolean {
  return answer?.status === 200 && (JSON.parse(answer.body) as { status: string }).status === 'ready';
}
