import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { isSecret, SETTING_NAMES } from '../../src/config/settings.ts';
import { loadTracing, PROTOCOLS, SAMPLERS } from '../../src/config/tracing.ts';
import { findHelm } from '../support/helm.ts';
import { type Manifest, schemaProblems, typeProblems } from '../support/manifests.ts';
import { blocksOf } from '../support/page-blocks.ts';

const CHART = 'deploy/helm/recency';
/** The oldest Kubernetes that the chart is for: a helm that was built from source knows of none. */
const SITE = ['--kube-version', '1.30.0', '--set', 'image.repository=registry.example/recency'];
const PROCESSES = ['serve', 'consume', 'relay', 'notify', 'capture'];
const JOBS = ['migrate', 'backfill'];

/** Everything that can be switched on. */
const ALL = [
  ...['processes.capture.enabled=true', 'processes.capture.mapping=tables: {}', 'backfill.enabled=true'],
  ...['serviceMonitor.enabled=true', 'processes.consume.autoscaling.lag.enabled=true', 'tls.secretName=tls'],
  ...['tracing.endpoint=https://collector.example', 'tracing.resourceAttributes.site=one\\, two', 'tracing.ratio=0.5'],
  ...['tracing.headersSecret.name=collector', 'tracing.headersSecret.key=headers'],
  ...['tracing.variables.OTEL_BSP_MAX_QUEUE_SIZE=100', 'networkPolicy.collector[0].podSelector.matchLabels.app=otel'],
].flatMap((value) => ['--set', value]);

let helm: string;
let usual: Manifest[];
let all: Manifest[];

beforeAll(() => {
  helm = findHelm();
  usual = render();
  all = render(ALL);
});

function render(values: readonly string[] = []): Manifest[] {
  const text = execFileSync(helm, ['template', 'site', CHART, ...SITE, ...values], { encoding: 'utf8' });
  return parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS() as Manifest); // as Helm reads YAML
}

const ofKind = (manifests: readonly Manifest[], kind: string) => manifests.filter((one) => one.kind === kind);
const namesOf = (manifests: readonly Manifest[]) => manifests.map(({ metadata }) => metadata.name).sort();
const podOf = (manifest: Manifest) => manifest.spec.template.spec;
const withPods = (manifests: readonly Manifest[]) => [...ofKind(manifests, 'Deployment'), ...ofKind(manifests, 'Job')];

const policyOf = (manifests: readonly Manifest[], name: string) =>
  ofKind(manifests, 'NetworkPolicy').find(({ metadata }) => metadata.name === `site-${name}`) as Manifest;

/** OpenTelemetry's variables of a pod, each once. */
function otelOf(manifest: Manifest): Record<string, unknown> {
  const [{ env }] = podOf(manifest).containers;
  const own = env.filter(({ name }: { name: string }) => name.startsWith('OTEL_'));
  const variables = own.map(({ name, value, valueFrom }: Record<string, unknown>) => [name, value ?? valueFrom]);
  expect(new Set(variables.map(([name]: [string]) => name)).size).toBe(variables.length);
  return Object.fromEntries(variables);
}

function refusal(...values: string[]): string {
  const { status, stderr } = spawnSync(helm, ['template', 'site', CHART, ...SITE, ...values], { encoding: 'utf8' });
  expect(status).not.toBe(0);
  return stderr;
}

describe('the chart', () => {
  it('passes helm lint', () => {
    expect(execFileSync(helm, ['lint', '--strict', CHART, ...SITE, ...ALL], { encoding: 'utf8' })).toContain(
      '0 chart(s) failed',
    );
  });

  it('takes the values of docs/installing.md', () => {
    const values = blocksOf('docs/installing.md').find(({ code }) => code.startsWith('# garden.yaml'))?.code;
    const folder = mkdtempSync(join(tmpdir(), 'recency-chart-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'garden.yaml'), String(values));
    const manifests = render(['--values', join(folder, 'garden.yaml'), '--set', 'processes.serve.tag=0.0.9']);
    const [migrate] = ofKind(manifests, 'Job').filter(({ metadata }) => metadata.name === 'site-migrate');
    expect(podOf(migrate as Manifest).containers[0].args).toEqual(['migrate']);
    const images = ofKind(manifests, 'Deployment').map((one) => [one.metadata.name, podOf(one).containers[0].image]);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    const image = 'registry.example/recency';
    expect(Object.fromEntries(images)).toEqual({
      'site-serve': `${image}:0.0.9`,
      ...Object.fromEntries(['consume', 'relay', 'notify'].map((name) => [`site-${name}`, `${image}:${version}`])),
    });
  });

  it('starts the pods of capture anew when the mapping is another one', () => {
    const capture = ['--set', 'processes.capture.enabled=true', '--set'];
    const annotationsWith = (mapping: string) => {
      const manifests = render([...capture, `processes.capture.mapping=${mapping}`, '--set', 'podAnnotations.a=b']);
      const deployments = ofKind(manifests, 'Deployment');
      return Object.fromEntries(deployments.map((one) => [one.metadata.name, one.spec.template.metadata.annotations]));
    };
    const [one, other] = [annotationsWith('tables: {}'), annotationsWith('tables: { a: b }')];
    expect(one['site-serve']).toEqual({ a: 'b' });
    expect(one['site-serve']).toEqual(other['site-serve']);
    expect(one['site-capture']).toMatchObject({ a: 'b', 'recency/checksum-of-mapping': expect.any(String) });
    expect(one['site-capture']).not.toEqual(other['site-capture']);
  });

  it('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    const { version: chart, appVersion } = parse(readFileSync(`${CHART}/Chart.yaml`, 'utf8'));
    expect({ chart, appVersion }).toEqual({ chart: version, appVersion: version });
  });

  it('renders what the schemas of Kubernetes and of the Prometheus operator accept, and no field that they do not have', async () => {
    expect(await schemaProblems([...usual, ...all])).toEqual([]);
    expect(typeProblems(all)).toEqual([]);
  });

  it('would not pass with a field of a wrong type, or one that is mistyped', async () => {
    const [deployment] = ofKind(usual, 'Deployment');
    const changed = (pod: object) =>
      ({ ...deployment, spec: { ...deployment?.spec, template: { spec: pod } } }) as Manifest;
    const pod = podOf(deployment as Manifest);
    expect(await schemaProblems([changed({ ...pod, terminationGracePeriodSeconds: 'long' })])).toHaveLength(1);
    expect(typeProblems([changed({ ...pod, runAsNonroot: true })])).toEqual([expect.stringContaining('runAsNonroot')]);
  });

  it('has each process once, with budget, policy and service, and jobs to migrate and to build the indexes', () => {
    const names = (processes: string[]) => processes.map((name) => `site-${name}`).sort();
    const running = PROCESSES.filter((name) => name !== 'capture');
    for (const kind of ['Deployment', 'PodDisruptionBudget', 'Service']) {
      expect([kind, namesOf(ofKind(usual, kind))]).toEqual([kind, names(running)]);
      expect([kind, namesOf(ofKind(all, kind))]).toEqual([kind, names(PROCESSES)]);
    }
    expect(namesOf(ofKind(usual, 'NetworkPolicy'))).toEqual(names([...running, 'migrate']));
    expect(namesOf(ofKind(all, 'NetworkPolicy'))).toEqual(names([...PROCESSES, ...JOBS]));
    expect(namesOf(ofKind(usual, 'Job'))).toEqual(['site-migrate']);
    expect(namesOf(ofKind(all, 'Job'))).toEqual(['site-backfill-1', 'site-migrate']);
    expect(namesOf(ofKind(all, 'HorizontalPodAutoscaler'))).toEqual(names(['consume', 'serve']));
    expect(ofKind(usual, 'ServiceMonitor')).toEqual([]);
    const [monitor, ...others] = ofKind(all, 'ServiceMonitor');
    expect(others).toEqual([]);
    // The alerts select job="recency", which the operator takes from this label of the Services.
    expect(monitor?.spec.jobLabel).toBe('app.kubernetes.io/name');
    for (const service of ofKind(all, 'Service'))
      expect(JSON.stringify(service.metadata)).toContain('"app.kubernetes.io/name":"recency"');
  });

  it('writes numbers as they are, however great', () => {
    const large = render(
      [
        ...['settings.STREAM_MAX_LENGTH=2000000', 'backfill.enabled=true', 'backfill.rate=1500000'],
        ...['processes.consume.autoscaling.lag.enabled=true', 'processes.consume.autoscaling.lag.tasks=3000000'],
        ...['tracing.endpoint=https://collector.example', 'tracing.variables.OTEL_BSP_MAX_QUEUE_SIZE=4000000'],
        'tracing.resourceAttributes.shard=5000000',
      ].flatMap((value) => ['--set', value]),
    );
    const text = JSON.stringify(large);
    for (const number of ['2000000', '1500000', '3000000', '4000000', 'shard=5000000'])
      expect(text).toContain(`${number}"`);
    expect(text).not.toMatch(/\de\+0\d/);
  });

  it('gives no pod more than it needs: not root, no privileges, a root file system that is read only, no token of the cluster', () => {
    for (const manifest of withPods(all)) {
      const { containers, securityContext, automountServiceAccountToken } = podOf(manifest);
      expect({ automountServiceAccountToken, ...securityContext }).toMatchObject({
        ...{ automountServiceAccountToken: false, runAsNonRoot: true, runAsUser: 1000 },
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const container of containers) {
        expect(container.securityContext).toEqual({
          ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, privileged: false },
          capabilities: { drop: ['ALL'] },
        });
      }
    }
  });

  it('sets only settings that there are, and each secret by its file alone', () => {
    const settings = SETTING_NAMES.filter((name) => !isSecret(name)).map((name) => `RECENCY_${name}`);
    const secrets = SETTING_NAMES.filter(isSecret).map((name) => `RECENCY_${name}_FILE`);
    for (const manifest of withPods(all)) {
      const [{ env, volumeMounts }] = podOf(manifest).containers;
      const given = env.map(({ name }: { name: string }) => name).filter((name: string) => !name.startsWith('OTEL_'));
      expect(given.filter((name: string) => ![...settings, ...secrets].includes(name))).toEqual([]);
      expect(new Set(given).size).toBe(given.length);
      expect(given).toContain('RECENCY_MYSQL_URL_FILE');
      expect(volumeMounts).toContainEqual({ name: 'secrets', mountPath: '/etc/recency/secrets', readOnly: true });
    }
    const serves = ofKind(all, 'Deployment').filter((one) => JSON.stringify(one).includes('RECENCY_TOKENS_FILE'));
    expect(namesOf(serves)).toEqual(['site-serve']);
  });

  it('gives every pod a secret that all settings need, and the tokens to the API alone', () => {
    const keys = ['MYSQL_URL', 'REDIS_URL', 'KAFKA_PASSWORD', 'TOKENS'];
    const manifests = render([...ALL, '--set', `secrets.keys={${keys.join(',')}}`]);
    for (const manifest of withPods(manifests)) {
      const text = JSON.stringify(podOf(manifest).containers);
      const given = keys.filter((key) => text.includes(`RECENCY_${key}_FILE`));
      expect(given, manifest.metadata.name).toEqual(
        manifest.metadata.name === 'site-serve' ? keys : keys.filter((key) => key !== 'TOKENS'),
      );
    }
    const own = render([
      ...ALL,
      '--set',
      'processes.relay.secrets.name=relay',
      '--set',
      'processes.relay.secrets.keys={MYSQL_URL}',
    ]);
    const relay = ofKind(own, 'Deployment').find(({ metadata }) => metadata.name === 'site-relay');
    expect(JSON.stringify(relay)).toContain('"secretName":"relay"');
    expect(JSON.stringify(relay)).not.toContain('RECENCY_REDIS_URL_FILE');
  });

  it('asks each process for its health where it listens, and gives it time to end', () => {
    for (const manifest of ofKind(all, 'Deployment')) {
      const { containers, terminationGracePeriodSeconds } = podOf(manifest);
      const [{ ports, livenessProbe, readinessProbe, env }] = containers;
      const value = (name: string) => env.find((one: { name: string }) => one.name === `RECENCY_${name}`)?.value;
      expect(String(ports[0].containerPort)).toBe(value('METRICS_PORT') ?? value('PORT'));
      expect(value('HOST')).toBe('0.0.0.0');
      expect(livenessProbe.httpGet).toEqual({ path: '/livez', port: ports[0].name });
      expect(readinessProbe.httpGet).toEqual({ path: '/readyz', port: ports[0].name });
      expect(terminationGracePeriodSeconds).toBeGreaterThan(25 + 5);
    }
  });

  it('selects its pods by the labels that they have', () => {
    const labelsOf = (name: string) =>
      withPods(all).find((one) => one.metadata.name.replace(/-1$/, '') === name)?.spec.template.metadata.labels;
    for (const kind of ['Deployment', 'PodDisruptionBudget', 'NetworkPolicy', 'Service']) {
      for (const { metadata, spec } of ofKind(all, kind)) {
        const selected = spec.selector?.matchLabels ?? spec.podSelector?.matchLabels ?? spec.selector;
        expect(Object.keys(selected)).toHaveLength(3);
        expect(labelsOf(metadata.name)).toMatchObject(selected);
      }
    }
  });

  it('lets nobody reach a job, and has the policy of the job that comes before all else in force for as long', () => {
    for (const name of JOBS) {
      const policy = policyOf(all, name);
      expect(policy.spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'], ingress: [] });
      expect(policy.spec.egress).toEqual(policyOf(usual, 'relay').spec.egress);
    }
    const hooks = [
      policyOf(all, 'migrate'),
      ...ofKind(all, 'Job').filter((one) => one.metadata.name === 'site-migrate'),
    ];
    const [policy, job] = hooks.map(({ metadata }) => metadata.annotations);
    expect(policy).toEqual({ ...job, 'helm.sh/hook-weight': '-1' });
    expect(policyOf(all, 'backfill').metadata.annotations).toBeUndefined();
  });

  it('traces no process, and reaches no collector, unless one is named', () => {
    for (const manifest of withPods(usual)) expect(otelOf(manifest)).toEqual({});
    for (const manifest of ofKind(all, 'Job')) expect(otelOf(manifest)).toEqual({});
    for (const manifest of ofKind(all, 'Deployment')) {
      const { OTEL_EXPORTER_OTLP_HEADERS: headers, ...variables } = otelOf(manifest);
      expect(headers).toEqual({ secretKeyRef: { name: 'collector', key: 'headers' } });
      expect(variables).toMatchObject({
        ...{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example', OTEL_RESOURCE_ATTRIBUTES: 'site=one%2C%20two' },
        OTEL_BSP_MAX_QUEUE_SIZE: '100',
      });
      const tracing = loadTracing(variables as Record<string, string>);
      expect(tracing).toMatchObject({ protocol: 'http/protobuf', sampler: 'parentbased_traceidratio', ratio: 0.5 });
    }
    const egress = { ports: [{ port: 443, protocol: 'TCP' }], to: [{ podSelector: { matchLabels: { app: 'otel' } } }] };
    for (const name of PROCESSES) expect(policyOf(all, name).spec.egress).toContainEqual(egress);
  });

  it('allows the samplers and protocols that there are', () => {
    const { properties } = JSON.parse(readFileSync(`${CHART}/values.schema.json`, 'utf8')).properties.tracing;
    expect(properties.sampler.enum).toEqual(SAMPLERS);
    expect(properties.protocol.enum).toEqual(PROTOCOLS);
  });

  it.each([
    ['a secret among the settings', 'settings.TOKENS=abc', 'TOKENS'],
    ['a value that nothing reads', 'replicas=3', 'replicas'],
    ['a process that there is not', 'processes.serv.enabled=true', 'serv'],
    ['a secret that is no setting', 'secrets.keys={PASSWORD}', 'keys'],
    ['a password in the address of the collector', 'tracing.endpoint=http://a:b@collector', 'endpoint'],
    ['headers, which may hold a token, as they are', 'tracing.variables.OTEL_EXPORTER_OTLP_HEADERS=a', 'HEADERS'],
    ['a sampler that there is not', 'tracing.sampler=sometimes', 'sampler'],
    ['half of a secret', 'tracing.headersSecret.name=collector', 'headersSecret'],
  ])('refuses %s', (_what, value, named) => {
    expect(refusal('--set', value)).toContain(named);
  });
});
