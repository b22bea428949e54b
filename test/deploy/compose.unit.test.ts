import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { API_PORT, METRICS_PORTS } from '../../src/config/readiness-url.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { loadTracing } from '../../src/config/tracing.ts';
import { findProgram, runProgram } from '../../src/tools/devservers/launch/machine.ts';
import { dashboard } from '../support/deployed.ts';

interface Service {
  readonly image?: string;
  readonly profiles?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const read = (file: string) => parse(readFileSync(file, 'utf8'), { merge: true });
const { services, volumes } = read('compose.yaml') as ComposeFile;

/** The volumes of a service: what is mounted, and where. */
const mounts = ({ volumes: all = [] }: Service) => all.map((text) => text.split(':').slice(0, 2) as [string, string]);

describe('compose.yaml', () => {
  it('names services, volumes, files and settings that exist', () => {
    for (const [name, service] of Object.entries(services)) {
      const needed = Array.isArray(service.depends_on) ? service.depends_on : Object.keys(service.depends_on ?? {});
      for (const other of needed) expect(Object.keys(services), `${name} needs ${other}`).toContain(other);
      for (const [from] of mounts(service)) {
        if (from.startsWith('.')) expect(existsSync(from), from).toBe(true);
        else expect(Object.keys(volumes), from).toContain(from);
      }
      const settings = Object.keys(service.environment ?? {}).filter((key) => key.startsWith('RECENCY_'));
      for (const setting of settings) expect(Object.keys(SETTINGS), setting).toContain(setting.replace('RECENCY_', ''));
      for (const port of service.ports ?? []) expect(port, name).toMatch(/^127\.0\.0\.1:/);
    }
  });

  it('starts Prometheus and Grafana, of fixed versions, only when they are asked for', () => {
    const observing = Object.entries(services).filter(([, { profiles }]) => profiles !== undefined);
    expect(observing.map(([name, { profiles }]) => [name, profiles])).toEqual([
      ['prometheus', ['observe']],
      ['grafana', ['observe']],
    ]);
    for (const [, { image }] of observing) expect(image).toMatch(/:v?\d+\.\d+\.\d+$/);
  });

  it('gives Prometheus the rules, and the addresses at which the processes serve their metrics', () => {
    const mounted = mounts(services.prometheus as Service);
    const at = new Map(mounted.map(([from, to]) => [to, from]));
    expect(at.get('/etc/prometheus/prometheus.yaml')).toBe('./deploy/prometheus/prometheus.yaml');
    const { rule_files: rules, scrape_configs: jobs } = read('deploy/prometheus/prometheus.yaml');
    for (const file of rules) expect(at.get(`/etc/prometheus/${file}`)).toBe('./deploy/prometheus/rules.yaml');
    expect(jobs[0].job_name).toBe('recency');
    const targets = jobs[0].static_configs[0].targets as string[];
    const { serve: _serve, ...others } = { serve: API_PORT, ...METRICS_PORTS };
    expect(targets).toEqual(['serve:8470', `consume:${others.consume}`, `relay:${others.relay}`]);
    for (const target of targets.slice(1)) {
      const [name = '', port] = target.split(':');
      expect(services[name]?.environment).toMatchObject({ RECENCY_HOST: '0.0.0.0', RECENCY_METRICS_PORT: port });
    }
  });

  it('gives Grafana the dashboard, and the Prometheus that it asks', () => {
    const at = new Map(mounts(services.grafana as Service).map(([from, to]) => [to, from]));
    expect(at.get('/etc/grafana/provisioning')).toBe('./deploy/grafana/provisioning');
    const { providers } = read('deploy/grafana/provisioning/dashboards/recency.yaml');
    expect(at.get(`${providers[0].options.path}/recency.json`)).toBe('./deploy/grafana/recency.json');
    expect(services.grafana?.environment?.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH).toBe(
      `${providers[0].options.path}/recency.json`,
    );
    const [source] = read('deploy/grafana/provisioning/datasources/prometheus.yaml').datasources;
    expect(source).toMatchObject({ type: 'prometheus', isDefault: true, url: 'http://prometheus:9090' });
    expect(dashboard.templating.list.map(({ name }) => name)).toEqual(['datasource']);
    expect(globSync('deploy/{grafana,prometheus}/**/*').filter((file) => statSync(file).isFile()).length).toBe(6);
  });

  it('passes on what the shell says about traces, and traces nothing where it says nothing', () => {
    for (const name of ['serve', 'consume', 'relay']) {
      const own = Object.entries(services[name]?.environment ?? {}).filter(([key]) => key.startsWith('OTEL_'));
      expect(own.map(([key]) => key)).toContain('OTEL_EXPORTER_OTLP_ENDPOINT');
      for (const [key, value] of own) expect(value).toMatch(new RegExp(`^\\$\\{${key}:-(none)?\\}$`));
      const given = (set: Readonly<Record<string, string>>) =>
        Object.fromEntries(own.map(([key, value]) => [key, set[key] ?? /:-(.*)\}/.exec(value)?.[1]]));
      expect(loadTracing(given({}))).toBeUndefined();
      const sampler = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' };
      const tracing = loadTracing(given({ OTEL_TRACES_EXPORTER: 'otlp', ...sampler }));
      expect(tracing).toMatchObject({ protocol: 'http/protobuf', sampler: 'traceidratio', ratio: 0.5 });
    }
  });

  it('is valid for docker compose, where there is one', async ({ skip }) => {
    const docker = findProgram('docker');
    const config = (args: readonly string[]) => runProgram(String(docker), ['compose', ...args]);
    const isThere =
      docker !== undefined &&
      (await config(['version']).then(
        () => true,
        () => false,
      ));
    if (!isThere) return skip('there is no docker compose');
    const all = await config(['--profile', 'observe', 'config', '--services']);
    expect(all.trim().split('\n').toSorted()).toEqual(Object.keys(services).toSorted());
  });
});
