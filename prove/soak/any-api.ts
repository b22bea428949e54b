import type { HttpAnswer, HttpClient } from '../../src/tools/harness/http.ts';

const NOBODY: HttpAnswer = { status: 503, body: '' };

/** Asks the APIs in turn, as a load balancer does. If one is unavailable it asks the next; if all are, the answer is a 503. */
export class AnyApi {
  readonly #apis: () => readonly HttpClient[];
  #turn = 0;

  /** @param apis the current ones */
  constructor(apis: () => readonly HttpClient[]) {
    this.#apis = apis;
  }

  async get(path: string): Promise<HttpAnswer> {
    const apis = this.#apis();
    const first = this.#turn++;
    for (let i = 0; i < apis.length; i++) {
      const answer = await apis[(first + i) % apis.length]?.get(path).catch(() => undefined);
      if (answer !== undefined) return answer;
    }
    return NOBODY;
  }
}
