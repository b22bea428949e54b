import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { metricDefinitions } from '../../scripts/reference/metrics.ts';
import { captureMetrics } from '../../src/app/metrics.ts';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { CliProcess } from '../support/cli.ts';
import { expressions, parseQuery, type Selector } from '../support/deployed.ts';
import { hasKafka } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { everybodyKnows, writeSite } from '../support/small-site.ts';
import { until } from '../support/until.ts';

/** Labels by their names. */
type Series = Readonly<Record<string, string>>;

/** What Prometheus itself adds. */
const ADDED = { metrics: ['up'], labels: ['instance', 'job', 'le'] };

/** What these settings leave out: no replica is read. */
const LEFT_OUT = ['recency_replica_waits_total'];

/** What only a fault makes, so that this test cannot see it. */
const ONLY_FAULTS = ['recency_http_request_duration_seconds_count{status=~"5.."}'];

function seriesOf(text: string): Map<string, Series[]> {
  const found = new Map<string, Series[]>();
  for (const [, metric = '', labels = ''] of text.matchAll(/^([a-z_:0-9]+)(?:\{(.*)\})? \S+$/gm)) {
    const series = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name, value]);
    found.set(metric, [...(found.get(metric) ?? []), Object.fromEntries(series) as Series]);
  }
  return found;
}

function matches(series: Series, { label, op, value }: Selector['matchers'][number]): boolean {
  const own = series[label];
  if (own === undefined) return ADDED.labels.includes(label);
  if (op === '=') return own === value;
  return op === '!=' || new RegExp(`^(?:${value})$`).test(own) === (op === '=~');
}

/** What an expression asks for and the metrics do not have. */
function lacking(metrics: ReadonlyMap<string, Series[]>, expr: string, shown: readonly string[]): string[] {
  const { selectors, labels } = parseQuery(expr);
  const missing: string[] = [];
  const all: Series[] = [];
  for (const { metric, matchers } of selectors) {
    if (ADDED.metrics.includes(metric)) continue;
    const own = metrics.get(metric) ?? [];
    all.push(...own);
    const text = `${metric}{${matchers.map(({ label, op, value }) => `${label}${op}"${value}"`).join(',')}}`;
    const isThere = own.some((series) => matchers.every((matcher) => matches(series, matcher)));
    if (!isThere && !ONLY_FAULTS.includes(text)) missing.push(text);
  }
  for (const label of [...labels, ...shown]) {
    const isKnown = ADDED.labels.includes(label) || all.some((series) => label in series) || all.length === 0;
    if (!isKnown) missing.push(`the label ${label} in ${expr}`);
  }
  return missing;
}

it('a metric, label or value that does not exist is found', () => {
  const metrics = seriesOf('a_total{kind="x",process="p"} 1\nb 2\n');
  expect(lacking(metrics, 'sum by (kind) (rate(a_total{kind="x"}[1m])) / b', ['process', 'instance'])).toEqual([]);
  for (const expr of ['c', 'a_total{kind="y"}', 'a_total{kin="x"}', 'a_total{kind=~"y|z"}', 'sum by (kin) (a_total)']) {
    expect(lacking(metrics, expr, []), expr).toHaveLength(1);
  }
  expect(lacking(metrics, 'b', ['kind'])).toHaveLength(1);
});

it.runIf(hasKafka())('the dashboard and the alerts ask for what /metrics of the processes has', async () => {
  const settings = await serviceSettings('streams');
  const pool = openSitePool(settings.MYSQL_URL, 2);
  onTestFinished(() => pool.end());
  await writeSite(pool, everybodyKnows(['2'], ['1']));
  const commands = ['serve', 'consume', 'relay', 'notify'] as const;
  const ports = await Promise.all(
    commands.map(async (command) => {
      const port = await freePort();
      const own = command === 'serve' ? { PORT: String(port) } : { METRICS_PORT: String(port) };
      const cli = new CliProcess([command], { ...settings, ...own }).killAtEnd();
      await cli.says(command === 'serve' ? 'answering at' : 'metrics at');
      return port;
    }),
  );
  const get = async (port: number | undefined, path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  await until(async () => (await get(ports[0], '/v1/users/2/contacts/recent')).includes('"source":"index"'));
  await uploadPhoto(pool, '1', 0, 2_000);
  const capture = new Registry();
  captureMetrics(capture.setDefaultLabels({ process: 'capture' }) ?? capture, () => 1);
  const missing = async () => {
    const texts = await Promise.all(ports.map((port) => get(port, '/metrics')));
    const metrics = seriesOf([...texts, await capture.metrics()].join('\n'));
    return expressions.flatMap(({ where, expr, shown }) =>
      lacking(metrics, expr, shown).map((what) => `${where}: ${what}`),
    );
  };
  let last: string[] = [];
  await until(
    async () => {
      last = await missing();
      return last.length === 0;
    },
    { interval: 500 },
  ).catch(() => expect(last).toEqual([]));

  // The reference names what each process has, and nothing else.
  for (const [i, command] of commands.entries()) {
    const own = [...(await get(ports[i], '/metrics')).matchAll(/^# TYPE (recency_\S+)/gm)].map(([, name]) => name);
    const said = [...metricDefinitions().values()].filter(({ processes }) => processes.includes(command));
    const expected = said.map(({ name }) => name).filter((name) => !LEFT_OUT.includes(name));
    expect(own.sort(), command).toEqual(expected.sort());
  }

  // The one number, where people look for it.
  const detail = async () => JSON.parse(await get(ports[0], '/readyz?verbose')).checks.oldest_unapplied.detail;
  await until(async () => /^small lane \d+\.\d s, bulk lane \d+\.\d s$/.test(await detail()));
  const series = /^recency_oldest_unapplied_seconds\{lane="bulk",process="serve"\} [\d.e-]+$/m;
  await until(async () => series.test(await get(ports[0], '/metrics')));
});
