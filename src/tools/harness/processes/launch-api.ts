import { freePort } from '../../devservers/launch/free-port.ts';
import { type HttpAnswer, HttpClient } from '../http.ts';
import { until } from '../poll.ts';
import { type ProcessGroup, RECENCY } from './process-group.ts';

const READY_TIMEOUT_MS = 60_000;
const LOOK_MS = 50;

/**
 * Starts Recency's API in its own process. `untilReady` throws when it does not get ready.
 * @param args of `recency serve`
 * @param before the module that runs `recency`, and its own arguments
 */
export async function launchApi(
  processGroup: ProcessGroup,
  name = 'api',
  args: readonly string[] = [],
  before: readonly [module: string, ...args: string[]] = [RECENCY],
) {
  const [module, ...own] = before;
  const port = String(await freePort());
  const settings = { HOST: '127.0.0.1', PORT: port };
  const member = processGroup.start({ name, module, args: [...own, 'serve', ...args], settings });
  const url = `http://127.0.0.1:${port}`;
  return { url, member, untilReady: () => untilReady(processGroup, url) };
}

async function untilReady(processGroup: ProcessGroup, url: string): Promise<void> {
  const client = new HttpClient(url);
  const look = () => Promise.race([processGroup.failed, client.get('/readyz?verbose').catch(() => undefined)]);
  const notReady = (answer: HttpAnswer | undefined) => `The API (${answer?.body ?? 'no answer'}) was not ready`;
  await until(notReady, look, isReady, { everyMs: LOOK_MS, timeoutMs: READY_TIMEOUT_MS });
}

function isReady(answer: HttpAnswer | undefined): boolean {
  return answer?.status === 200 && (JSON.parse(answer.body) as { status: string }).status === 'ready';
}
