import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ARMS, ArmRace } from '../../../../src/tools/demo/page/race.ts';

const USERS = [
  { user: '1', contacts: 10 },
  { user: '2', contacts: 20_000 },
];

/** An arm that answers with the status that the test sets. */
async function arm() {
  const asked: string[] = [];
  const state = { status: 200, asked };
  const server = createServer(({ url }, response) => {
    asked.push(String(url));
    response.writeHead(state.status, { 'Content-Length': '2' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  onTestFinished(() => server.closeAllConnections());
  return Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

test('the arms are asked in turns, and one that fails has no time until it answers again', async () => {
  const [sql, recipe, recency] = [await arm(), await arm(), await arm()];
  const urls = { sql: sql.url, recipe: recipe.url, recency: recency.url };
  const race = new ArmRace({ urls, users: USERS, isResting: () => false });
  expect(race.rows.flatMap(({ arms }) => arms.map(({ p50 }) => p50))).toEqual(Array(6).fill(undefined));
  for (let turn = 0; turn < 12; turn++) await race.askOne();
  expect(race.rows.map(({ contacts }) => contacts)).toEqual([10, 20_000]);
  for (const { arms } of race.rows) {
    expect(arms.map(({ name }) => name)).toEqual(ARMS);
    expect(arms.every(({ p50 = 0, requests }) => p50 > 0 && requests === 2)).toBe(true);
  }
  expect(recency.asked).toEqual(['1', '2', '1', '2'].map((user) => `/v1/users/${user}/contacts/recent`));
  sql.status = 500;
  await expect(race.askOne()).rejects.toThrow('the arm sql answered with 500');
  expect(race.rows[0]?.arms[0]?.p50).toBeUndefined();
  sql.status = 200;
  for (let turn = 0; turn < 6; turn++) await race.askOne();
  expect(race.rows[0]?.arms[0]?.p50).toBeGreaterThan(0);
});
