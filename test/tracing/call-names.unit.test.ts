import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { CallNames } from '../../src/tracing/call-names.ts';

it.each([
  ['SELECT a FROM recency_contacts WHERE user_id = 5', 'SELECT', 'SELECT recency_contacts'],
  [
    '\n  SELECT /*+ JOIN_ORDER(x) */ 1 FROM JSON_TABLE(?, 0) AS a STRAIGHT_JOIN recency_outbox AS o',
    'SELECT',
    'SELECT recency_outbox',
  ],
  ["/*M! SET STATEMENT max_statement_time=1 FOR */ SELECT 'x' FROM `photos`", 'SELECT', 'SELECT photos'],
  ['SELECT * FROM (SELECT 1 FROM contacts) AS c', 'SELECT', 'SELECT contacts'],
  ['insert into recency_seen (a) VALUES (1)', 'INSERT', 'INSERT recency_seen'],
  ['UPDATE recency_epoch SET token = 1', 'UPDATE', 'UPDATE recency_epoch'],
  ['COMMIT', 'COMMIT', 'COMMIT'],
  ['', 'QUERY', 'QUERY'],
])('%s is called by what it does and to which table', (sql, operation, summary) => {
  const names = new CallNames();
  expect(names.query(sql)).toEqual({ operation, summary });
  expect(names.query(sql)).toBe(names.query(sql));
});

it('knows scripts by their text and by the digest that Redis knows them by', () => {
  const names = new CallNames();
  names.nameScript('return 1', 'recency_one');
  expect(names.script(createHash('sha1').update('return 1').digest('hex'))).toBe('recency_one');
  expect(names.script('return 1')).toBe('recency_one');
  expect(names.script('unknown')).toBeUndefined();
});
