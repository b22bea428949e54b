/**
 * A page whose list changes by itself, without reloading: Recency's stream, passed on to the browser. There is no log-in: an
 * address names the person (`/people/1`).
 *
 *   RECENCY_URL   where the API answers (http://127.0.0.1:8470)
 *   RECENCY_TOKEN a token with the scope read, where the API has tokens
 *   PORT          where this site answers on 127.0.0.1 (8481)
 */
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { createSite } from './site.ts';

const { RECENCY_URL: baseUrl = 'http://127.0.0.1:8470', RECENCY_TOKEN: token, PORT = '8481' } = process.env;

const server = createSite({ baseUrl, token }).listen(Number(PORT), '127.0.0.1', (error) => {
  if (error) throw error;
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/people/1`);
});

process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections(); // streams do not end by themselves
});
