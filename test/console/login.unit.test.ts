import { expect, it } from 'vitest';
import { Access } from '../../src/api/authorize.ts';
import { consoleRoutes } from '../../src/console/routes.ts';
import { Sessions } from '../../src/console/sessions.ts';
import { Deadline } from '../../src/timing/deadline.ts';

it('writes one line about all who try wrong tokens within a minute, without them', async () => {
  const lines: unknown[] = [];
  const access = new Access([{ token: 'only-for-a-test', scopes: ['admin'] }]);
  const sessions = new Sessions({ access, clock: Date.now });
  const logger = { info: (...line: unknown[]) => void lines.push(line), warn: () => undefined, error: () => undefined };
  const routes = consoleRoutes({} as never, { sessions, isAnswering: () => true, logger, clock: Date.now });
  const login = routes.find(({ operation: { path, method } }) => path === '/console/login' && method === 'post');
  const request = { body: { token: 'a-wrong-one' }, headers: {}, method: 'POST', path: '', originalUrl: '' } as never;
  for (let i = 0; i < 100; i++)
    expect(await login?.handle(request, new Deadline(1_000))).toMatchObject({ status: 401 });
  expect(lines).toEqual([[{ status: 401 }, 'somebody could not log in to the console']]);
});
