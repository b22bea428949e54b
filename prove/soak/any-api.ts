import type { HttpAnswer, HttpClient } from '../../src/tools/harness/http.ts';

const NOBODY: HttpAnswer = { status: 503, body: '' };

/** Asks the APIs in turn, as a balancer does: where one is not there, the next one; where none is, that is a 503. */
export class AnyApi {
  readonly #apis: () => readonly HttpClient[];
  #turn = 0;

  /** @param apis of now */
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
