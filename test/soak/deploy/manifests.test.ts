import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { buildHelm, hasGo, helm, moduleOf } from '../../harness/go-tools.ts';
import { snippets } from '../../harness/docs.ts';
import { hasSystemd, mayBeMissing } from '../../harness/tool-paths.ts';
import { faultLine, KubernetesSchemas, parseManifests, type Manifest } from '../../harness/kubernetes-schemas.ts';

const chart = 'deploy/helm/sluice';
const folder = mkdtempSync(join(tmpdir(), 'sluice-manifests-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** On a machine of CI, Go has to be there. */
const describeWithGo = hasGo || !mayBeMissing ? describe : describe.skip;

const DEFAULT_KEYS = ['DATABASE_URL', 'REDIS_URL', 'SLUICE_SECRET'];
const DEFAULT = { secret: { name: 'sluice' } };
const EMBEDDED = { secret: { keys: [] }, replicas: 1 };
const FULL = {
  secret: {
    name: 'sluice',
    keys: ['DATABASE_URL', 'REDIS_URL', 'SLUICE_SECRET', 'SLUICE_METRICS_TOKEN', 'OPENAI_API_KEY'],
  },
  image: { repository: 'registry.example.com/sluice', tag: '1.2.3', pullSecrets: ['registry'] },
  publicUrl: 'https://gateway.example.com',
  config: { aliases: { fast: 'openai/gpt-4.1-mini' } },
  env: { LOG_LEVEL: 'debug' },
  autoscaling: { enabled: true, openRequests: { enabled: true } },
  metrics: { serviceMonitor: { enabled: true, labels: { release: 'prometheus' } } },
  ingress: { enabled: true, className: 'nginx', host: 'gateway.example.com', tlsSecretName: 'gateway-tls' },
  networkPolicy: {
    from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }],
    metricsFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
    egress: [{ to: [{ ipBlock: { cidr: '0.0.0.0/0' } }], ports: [{ port: 443, protocol: 'TCP' }] }],
  },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  priorityClassName: 'high',
  podLabels: { team: 'platform' },
  podAnnotations: { note: 'x' },
  journal: { adoption: { ordinals: [10, 12] } },
};
const EPHEMERAL = { ...DEFAULT, journal: { type: 'emptyDir', ephemeral: true } };

function render(values: object, path = chart): { manifests: Manifest[]; error: string } {
  const file = join(folder, 'values.json');
  writeFileSync(file, JSON.stringify(values));
  const { out, err } = helm('template', 'gateway', path, '--values', file);
  return { manifests: parseManifests(out), error: err };
}

/** Helm prints them after an installation, which needs a cluster: here they are a manifest of a copy of the chart. */
function notesOf(values: object): unknown {
  const copy = join(folder, 'sluice');
  cpSync(chart, copy, { recursive: true });
  const notes = '{{ include (print .Template.BasePath "/NOTES.txt") . | quote }}';
  writeFileSync(
    join(copy, 'templates/notes.yaml'),
    `apiVersion: v1
kind: Notes
text: ${notes}
`,
  );
  return only(render(values, copy).manifests, 'Notes').text;
}

/** A copy of the chart that finds these claims in place of those of a cluster. */
function withClaims(...names: readonly string[]): string {
  const copy = mkdtempSync(join(folder, 'claims-'));
  cpSync(chart, copy, { recursive: true });
  const file = join(copy, 'templates/adopt.yaml');
  const lookup = '(lookup "v1" "PersistentVolumeClaim" .Release.Namespace "")';
  const [before, after] = readFileSync(file, 'utf8').split(lookup);
  const claims = JSON.stringify({ items: names.map((name) => ({ metadata: { name } })) });
  writeFileSync(file, `${before}(fromJson ${JSON.stringify(claims)})${after}`);
  return copy;
}

function codeOf(name: string): string {
  return snippets.find((each) => each.name === name)?.code ?? '';
}

function only(manifests: readonly Manifest[], kind: string): Manifest {
  const found = manifests.filter((each) => each.kind === kind);
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} manifests of ${kind}`);
  return found[0];
}

const envSchema = z.array(z.object({ name: z.string(), value: z.string() }));
const podSchema = z.object({
  terminationGracePeriodSeconds: z.number().optional(),
  automountServiceAccountToken: z.literal(false),
  securityContext: z.object({
    runAsNonRoot: z.literal(true),
    runAsUser: z.literal(1000),
    seccompProfile: z.object({ type: z.literal('RuntimeDefault') }),
  }),
  containers: z.array(
    z.object({
      env: envSchema,
      securityContext: z.object({
        allowPrivilegeEscalation: z.literal(false),
        readOnlyRootFilesystem: z.literal(true),
        capabilities: z.object({ drop: z.tuple([z.literal('ALL')]) }),
      }),
    }),
  ),
  volumes: z.array(z.looseObject({ name: z.string() })),
});
const adoptionSchema = z.object({
  metadata: z.object({
    name: z.string(),
    labels: z.object({ 'app.kubernetes.io/component': z.literal('adopt') }),
  }),
  spec: z.object({
    template: z.object({
      spec: z.object({
        containers: z.tuple([z.object({ args: z.array(z.string()) })]),
        volumes: z.array(z.object({ persistentVolumeClaim: z.object({ claimName: z.string() }).optional() })),
      }),
    }),
  }),
});
const workloadSchema = z.object({
  spec: z.object({
    replicas: z.number().optional(),
    volumeClaimTemplates: z.array(z.unknown()).optional(),
    template: z.object({ spec: podSchema }),
  }),
});

describeWithGo('the Helm chart', () => {
  let schemas: KubernetesSchemas;
  beforeAll(() => {
    buildHelm();
    schemas = new KubernetesSchemas();
  });

  it.each([
    ['defaults', DEFAULT],
    ['everything', FULL],
    ['no database server', EMBEDDED],
    ['an ephemeral journal', EPHEMERAL],
  ])('has valid manifests with %s', (_name, values) => {
    const { manifests, error } = render(values);
    expect(error).toBe('');
    expect(manifests.length).toBeGreaterThan(5);
    expect(manifests.flatMap((each) => schemas.faultsOf(each).map((fault) => `${each.kind}${fault}`))).toEqual([]);
    expect(helm('lint', chart, '--strict', '--values', join(folder, 'values.json')).code).toBe(0);
  });

  it('is checked by schemas that refuse unknown fields and wrong types', () => {
    const service = only(render(EMBEDDED).manifests, 'ConfigMap');
    expect(schemas.faultsOf({ ...service, dat: {} })).toHaveLength(1);
    expect(schemas.faultsOf({ ...service, data: { port: 1 } })).toHaveLength(1);
    expect(schemas.faultsOf({ ...service, kind: 'ConfigMaps' })).toHaveLength(1);
  });

  it('starts pods without privileges, on a read-only root', () => {
    for (const values of [DEFAULT, FULL]) {
      const workloads = render(values).manifests.filter(({ kind }) => ['StatefulSet', 'Job'].includes(kind));
      expect(workloads.length).toBeGreaterThan(1);
      for (const workload of workloads) expect(() => workloadSchema.parse(workload)).not.toThrow();
    }
  });

  it('has a volume for the journal of each pod, or an emptyDir that loses it by choice', () => {
    const journal = (values: object): [claims: number, isEmptyDir: boolean] => {
      const { spec } = workloadSchema.parse(only(render(values).manifests, 'StatefulSet'));
      const volumes = spec.template.spec.volumes;
      return [spec.volumeClaimTemplates?.length ?? 0, volumes.some((each) => each.emptyDir !== undefined)];
    };
    expect([journal(DEFAULT), journal(EPHEMERAL)]).toEqual([
      [1, false],
      [0, true],
    ]);
    expect(notesOf(EPHEMERAL)).toContain('is lost with the pod');
    expect(notesOf(DEFAULT)).not.toContain('is lost with the pod');
  });

  it('gives a pod more time than preStop, shutdown delay and drain take', () => {
    const shutdown = { preStopSeconds: 7, delaySeconds: 3, drainSeconds: 600 };
    const { spec } = workloadSchema.parse(only(render({ ...DEFAULT, shutdown }).manifests, 'StatefulSet'));
    const env = new Map(spec.template.spec.containers[0]?.env.map(({ name, value }) => [name, value]));
    expect([env.get('SLUICE_SHUTDOWN_DELAY_MS'), env.get('SLUICE_DRAIN_TIMEOUT_MS')]).toEqual(['3000', '600000']);
    expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(610);
  });

  it('migrates by a hook before an upgrade, where the database is a server', () => {
    expect(only(render(DEFAULT).manifests, 'Job')).toMatchObject({
      metadata: { annotations: { 'helm.sh/hook': 'pre-install,pre-upgrade' } },
      spec: { template: { spec: { containers: [{ args: ['migrate'] }] } } },
    });
    expect(render(EMBEDDED).manifests.map(({ kind }) => kind)).not.toContain('Job');
  });

  it('gives the migration the settings of the pods, which are only complete together', () => {
    const env = { S3_BUCKET: 'sluice', DATABASE_POOLER: 'transaction', OTEL_METRIC_EXPORT_INTERVAL: 3_600_000 };
    const secret = { name: 'sluice', keys: [...DEFAULT_KEYS, 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] };
    const { manifests } = render({ env, secret });
    const expected = [
      { name: 'S3_ACCESS_KEY_ID_FILE', value: '/run/secrets/sluice/S3_ACCESS_KEY_ID' },
      ...Object.entries(env).map(([name, value]) => ({ name, value: String(value) })),
    ];
    for (const kind of ['StatefulSet', 'Job'])
      expect(workloadSchema.parse(only(manifests, kind)).spec.template.spec.containers[0]?.env).toEqual(
        expect.arrayContaining(expected),
      );
  });

  it('mounts the previous master key during a rotation, wherever the present one is', () => {
    const previous = { name: 'SLUICE_SECRET_PREVIOUS_FILE', value: '/run/secrets/sluice/SLUICE_SECRET_PREVIOUS' };
    const values = { ...DEFAULT, journal: { adoption: { ordinals: [4] } } };
    const podsOf = (secret: object): (readonly [boolean, boolean])[] =>
      render({ ...values, secret: { ...DEFAULT.secret, ...secret } })
        .manifests.flatMap((each) => workloadSchema.safeParse(each).data ?? [])
        .map(({ spec: { template } }) => [
          (template.spec.containers[0]?.env ?? []).some(
            (each) => each.name === previous.name && each.value === previous.value,
          ),
          JSON.stringify(template.spec.volumes).includes('"key":"SLUICE_SECRET_PREVIOUS"'),
        ]);
    const pods = ['StatefulSet', 'migrate', 'adopt'];
    const all = pods.map(() => [true, true]);
    expect(podsOf({ previous: true })).toEqual(all);
    expect(podsOf({ keys: [...DEFAULT_KEYS, 'SLUICE_SECRET_PREVIOUS'], previous: true })).toEqual(all);
    expect(podsOf({})).toEqual(pods.map(() => [false, false]));
  });

  it('adopts the volumes that are listed, and those that the cluster has beyond its pods', () => {
    const adoptions = (values: object, path = chart): string[] =>
      render(values, path)
        .manifests.flatMap((each) => adoptionSchema.safeParse(each).data ?? [])
        .map(({ metadata, spec: { template } }) => {
          const [{ args }] = template.spec.containers;
          const claim = template.spec.volumes.flatMap((each) => each.persistentVolumeClaim?.claimName ?? []);
          return `${metadata.name}: ${claim.join()}: ${args.join(' ')}`;
        });
    const listed = { ...DEFAULT, replicas: 2, journal: { adoption: { ordinals: [4], waitSeconds: 30 } } };
    const of = (ordinal: number, wait: number): string =>
      `gateway-sluice-adopt-${ordinal}-1: data-gateway-sluice-${ordinal}: journal adopt /adopted/sluice --wait ${wait}`;
    expect(adoptions(listed)).toEqual([of(4, 30)]);
    const found = withClaims(
      'data-gateway-sluice-1',
      'data-gateway-sluice-2',
      'data-gateway-sluice-30',
      'data-other-9',
    );
    expect(adoptions({ ...DEFAULT, replicas: 2 }, found)).toEqual([of(2, 600), of(30, 600)]);
    expect(adoptions({ ...DEFAULT, autoscaling: { enabled: true, maxReplicas: 10 } }, found)).toEqual([of(30, 600)]);
    expect(adoptions({ ...DEFAULT, replicas: 2, journal: { adoption: { enabled: false } } }, found)).toEqual([]);
    expect(adoptions(EMBEDDED, found)).toEqual([]);
  });

  it('scales by CPU and by open requests', () => {
    const { manifests } = render(FULL);
    expect(only(manifests, 'HorizontalPodAutoscaler')).toMatchObject({
      spec: { metrics: [{ type: 'Resource' }, { pods: { metric: { name: 'sluice_open_requests' } } }] },
    });
    expect(workloadSchema.parse(only(manifests, 'StatefulSet')).spec.replicas).toBeUndefined();
  });

  it('has valid manifests with the values of the documentation', () => {
    const { manifests, error } = render(z.looseObject({}).parse(parse(codeOf('helm values'))));
    expect(error).toBe('');
    expect(manifests.flatMap((each) => schemas.faultsOf(each))).toEqual([]);
    expect(manifests.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['Ingress', 'ServiceMonitor']));
  });

  it.each([
    ['an emptyDir that nobody chose', { ...DEFAULT, journal: { type: 'emptyDir' } }, 'journal.ephemeral'],
    ['no Secret', {}, 'secret.name is missing'],
    ['two replicas without Redis', { secret: { name: 's', keys: ['DATABASE_URL', 'SLUICE_SECRET'] } }, 'REDIS_URL'],
    [
      'a database without the master key',
      { replicas: 1, secret: { name: 's', keys: ['DATABASE_URL'] } },
      'SLUICE_SECRET',
    ],
    [
      'the previous master key without the present one',
      { ...EMBEDDED, secret: { name: 's', keys: [], previous: true } },
      'SLUICE_SECRET_PREVIOUS needs SLUICE_SECRET',
    ],
    [
      'an emptyDir without a database server',
      { ...EMBEDDED, journal: { type: 'emptyDir', ephemeral: true } },
      'needs journal.type persistentVolumeClaim',
    ],
    ['an unknown value', { ...DEFAULT, replica: 3 }, 'replica'],
    ['a value of the wrong type', { ...DEFAULT, replicas: 'two' }, 'replicas'],
    ['a setting that is no name', { ...DEFAULT, env: { 'log level': 'info' } }, 'log level'],
    [
      'the adoption of a volume whose pod runs',
      { ...DEFAULT, replicas: 3, journal: { adoption: { ordinals: [2] } } },
      'pod 2 runs',
    ],
  ])('refuses %s', (_name, values, reason) => {
    const { manifests, error } = render(values);
    expect(manifests).toEqual([]);
    expect(error).toContain(reason);
  });

  it('has every value in its README and its schema', () => {
    const values = z.record(z.string(), z.unknown()).parse(parse(readFileSync(`${chart}/values.yaml`, 'utf8')));
    const readme = readFileSync(`${chart}/README.md`, 'utf8');
    expect(Object.keys(values).filter((name) => !readme.includes(`\`${name}`))).toEqual([]);
  });
});

describeWithGo('compose.yaml', () => {
  it('is valid against the schema of the Compose Specification, as rotation.yaml is', () => {
    const schema: unknown = JSON.parse(readFileSync(join(moduleOf('compose'), 'schema/compose-spec.json'), 'utf8'));
    const validate = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).compile(
      z.looseObject({}).parse(schema),
    );
    const compose = z
      .looseObject({ services: z.looseObject({ sluice: z.looseObject({}) }) })
      .parse(parse(readFileSync('compose.yaml', 'utf8')));
    validate(compose);
    expect((validate.errors ?? []).map(faultLine)).toEqual([]);
    validate(parse(readFileSync('deploy/compose/rotation.yaml', 'utf8')));
    expect((validate.errors ?? []).map(faultLine)).toEqual([]);
    const services = { ...compose.services, sluice: { ...compose.services.sluice, restarts: 'always' } };
    expect(validate({ ...compose, services })).toBe(false);
  });
});

describe.skipIf(!hasSystemd && mayBeMissing)('the systemd unit', () => {
  /** The program has to exist. */
  const unit = readFileSync('deploy/systemd/sluice.service', 'utf8').replace(
    '/opt/sluice/node_modules/.bin/node',
    process.execPath,
  );

  it.each([
    ['', unit],
    [' with the credentials of the documentation', `${unit}\n${codeOf('systemd credentials')}`],
  ])('is valid, and exposes little%s', (_name, text) => {
    const path = join(folder, 'sluice.service');
    writeFileSync(path, text);
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' });
    expect(verified).toMatchObject({ status: 0, stderr: '' });
    // Exposure from 0 to 10, times 10.
    execFileSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', '--no-pager', path]);
  });

  it('is checked by a verification that finds faults', () => {
    const path = join(folder, 'faulty.service');
    writeFileSync(path, `${unit}\n[Service]\nExecStart=/nonexistent\n`);
    expect(spawnSync('systemd-analyze', ['verify', '--man=no', path]).status).not.toBe(0);
  });
});
