import { expect, it } from 'vitest';
import { failureOf } from '../../src/cli/exit-code.ts';
import { PartUnavailable } from '../../src/tools/devservers/server.ts';

it('a server that cannot be had is told without a stack', () => {
  expect(failureOf(new PartUnavailable('MySQL is not available: install it'))).toEqual({
    message: 'MySQL is not available: install it',
    exitCode: 1,
  });
});
