import type { Response } from 'express';
import { loop } from '../../../timing/loop.ts';
import { type Exhibition, PARTS, partsNow } from './exhibition.ts';
import type { PagePerson } from './site-look.ts';

const EVERY_MS = 300;

/** Open pages that are kept up to date; more of them would be measured as well. */
const MOST_PAGES = 20;

/** Keeps open pages up to date: sends each part that has changed since it was sent, as a Server-Sent Event. */
export class LivePages {
  readonly #exhibition: Exhibition;
  readonly #signal: AbortSignal;
  #open = 0;

  constructor(exhibition: Exhibition, signal: AbortSignal) {
    this.#exhibition = exhibition;
    this.#signal = signal;
  }

  /** Resolves when the page has been left. */
  async follow(response: Response, person: PagePerson): Promise<void> {
    if (this.#open === MOST_PAGES) {
      response.status(503).end();
      return;
    }
    const leaving = new AbortController();
    response.once('close', () => leaving.abort());
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store, no-transform' });
    response.flushHeaders();
    this.#open++;
    try {
      await this.#keep(response, person, AbortSignal.any([leaving.signal, this.#signal]));
    } finally {
      this.#open--;
      response.end();
    }
  }

  async #keep(response: Response, person: PagePerson, signal: AbortSignal): Promise<void> {
    const sent = new Map<string, string>();
    const round = async () => {
      const parts = await partsNow(this.#exhibition, person);
      for (const name of PARTS) {
        const { text } = parts[name];
        if (sent.get(name) === text) continue;
        sent.set(name, text);
        response.write(`event: part\ndata: ${JSON.stringify({ name, html: text })}\n\n`);
      }
      return EVERY_MS;
    };
    await loop({ signal, round, onError: () => EVERY_MS });
  }
}
