import { expect, it } from 'vitest';
import { runInProcess } from '../support/in-process.ts';
import { OwnMysql } from '../support/own-mysql.ts';
import { serviceSettings } from '../support/service-settings.ts';

const own = new OwnMysql();

it('a server that answers and refuses work is not called away: doctor says what to do', async () => {
  const settings = { ...(await serviceSettings()), MYSQL_URL: await own.createDatabase(), START_TIMEOUT_MS: '100' };
  await own.run('SET GLOBAL max_prepared_stmt_count = 0');
  const [report] = (await runInProcess(['doctor', '--json'], settings)).json();
  const reachable = report.findings.find(({ check }: { check: string }) => check === 'reachable');
  expect(reachable).toMatchObject({ area: 'mysql', state: 'problem' });
  expect(reachable.detail).toMatch(
    /^MySQL at .* refuses work now \(.*max_prepared_stmt_count.*\)\. Raise max_prepared_stmt_count/,
  );
});
