/**
 * A site of one page: the contacts of the person who looks who were active most recently. It keeps people, relationships and
 * photos in MySQL, asks Recency whom to show, and shows its own changes at once. There is no log-in: an address names the
 * person (`/people/1`).
 *
 *   RECENCY_URL   where the API answers (http://127.0.0.1:8470)
 *   RECENCY_TOKEN a token with the scopes read and write, where the API has tokens
 *   MYSQL_URL     the site's database (mysql://root@127.0.0.1:3306/recency)
 *   PORT          where this site answers on 127.0.0.1 (8480)
 */
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { RecencyClient } from '@recency/client';
import { createPool } from 'mysql2/promise';
import { createSite } from './site.ts';
import { Store } from './store.ts';

const {
  RECENCY_URL: baseUrl = 'http://127.0.0.1:8470',
  RECENCY_TOKEN: token,
  MYSQL_URL: uri = 'mysql://root@127.0.0.1:3306/recency',
  PORT = '8480',
} = process.env;

// Ids as text: as numbers they would be exact to 2^53 only.
const pool = createPool({ uri, supportBigNumbers: true, bigNumberStrings: true });
const site = createSite({ store: new Store(pool), recency: new RecencyClient({ baseUrl, token }) });
const server = site.listen(Number(PORT), '127.0.0.1', (error) => {
  if (error) throw error;
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/people/1`);
});

process.once('SIGTERM', () => {
  server.close(() => void pool.end());
  server.closeIdleConnections();
});
