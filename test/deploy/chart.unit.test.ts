import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { isSecret, SETTING_NAMES } from '../../src/config/settings.ts';
import { findHelm } from '../support/helm.ts';
import { type Manifest, schemaProblems, typeProblems } from '../support/manifests.ts';

const CHART = 'deploy/helm/recency';
/** The oldest Kubernetes that the chart is for: a helm that was built from source knows of none. */
const SITE = ['--kube-version', '1.30.0', '--set', 'image.repository=registry.example/recency'];
const PROCESSES = ['serve', 'consume', 'relay', 'notify', 'capture'];

/** Everything that can be switched on. */
const ALL = [
  ...['processes.capture.enabled=true', 'processes.capture.mapping=tables: {}', 'backfill.enabled=true'],
  ...['serviceMonitor.enabled=true', 'processes.consume.autoscaling.lag.enabled=true', 'tls.secretName=tls'],
].flatMap((value) => ['--set', value]);

let helm: string;
let usual: Manifest[];
let all: Manifest[];

beforeAll(() => {
  helm = findHelm();
  usual = render();
  all = render(ALL);
}, 180_000);

function render(values: readonly string[] = []): Manifest[] {
  const text = execFileSync(helm, ['template', 'site', CHART, ...SITE, ...values], { encoding: 'utf8' });
  return parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS() as Manifest); // as Helm reads YAML
}

const ofKind = (manifests: readonly Manifest[], kind: string) => manifests.filter((one) => one.kind === kind);
const namesOf = (manifests: readonly Manifest[]) => manifests.map(({ metadata }) => metadata.name).sort();
const podOf = (manifest: Manifest) => manifest.spec.template.spec;
const withPods = (manifests: readonly Manifest[]) => [...ofKind(manifests, 'Deployment'), ...ofKind(manifests, 'Job')];

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
    for (const kind of ['Deployment', 'PodDisruptionBudget', 'NetworkPolicy', 'Service']) {
      expect([kind, namesOf(ofKind(usual, kind))]).toEqual([kind, names(running)]);
      expect([kind, namesOf(ofKind(all, kind))]).toEqual([kind, names(PROCESSES)]);
    }
    expect(namesOf(ofKind(usual, 'Job'))).toEqual(['site-migrate']);
    expect(namesOf(ofKind(all, 'Job'))).toEqual(['site-backfill-1', 'site-migrate']);
    expect(namesOf(ofKind(all, 'HorizontalPodAutoscaler'))).toEqual(names(['consume', 'serve']));
    expect(ofKind(usual, 'ServiceMonitor')).toEqual([]);
    expect(ofKind(all, 'ServiceMonitor')).toHaveLength(1);
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
      const given = env.map(({ name }: { name: string }) => name);
      expect(given.filter((name: string) => ![...settings, ...secrets].includes(name))).toEqual([]);
      expect(new Set(given).size).toBe(given.length);
      expect(given).toContain('RECENCY_MYSQL_URL_FILE');
      expect(volumeMounts).toContainEqual({ name: 'secrets', mountPath: '/etc/recency/secrets', readOnly: true });
    }
    const serves = ofKind(all, 'Deployment').filter((one) => JSON.stringify(one).includes('RECENCY_TOKENS_FILE'));
    expect(namesOf(serves)).toEqual(['site-serve']);
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
      ofKind(all, 'Deployment').find((one) => one.metadata.name === name)?.spec.template.metadata.labels;
    for (const kind of ['Deployment', 'PodDisruptionBudget', 'NetworkPolicy', 'Service']) {
      for (const { metadata, spec } of ofKind(all, kind)) {
        const selected = spec.selector?.matchLabels ?? spec.podSelector?.matchLabels ?? spec.selector;
        expect(Object.keys(selected)).toHaveLength(3);
        expect(labelsOf(metadata.name)).toMatchObject(selected);
      }
    }
  });

  it.each([
    ['a secret among the settings', 'settings.TOKENS=abc', 'TOKENS'],
    ['a value that nothing reads', 'replicas=3', 'replicas'],
    ['a process that there is not', 'processes.serv.enabled=true', 'serv'],
    ['a secret that is no setting', 'secrets.keys={PASSWORD}', 'keys'],
  ])('refuses %s', (_what, value, named) => {
    expect(refusal('--set', value)).toContain(named);
  });
});
