import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { secretSettings } from '../../../src/config/environment-schema.ts';
import { parseEnvironment } from '../../../src/config/environment.ts';
import { readConfigFile } from '../../../src/config/config-file.ts';
import { snippets } from '../../harness/docs.ts';

const serviceSchema = z.object({
  image: z.string(),
  environment: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
  secrets: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  networks: z.array(z.string()),
  healthcheck: z.unknown().optional(),
  stop_grace_period: z.string().optional(),
  read_only: z.boolean().optional(),
});
const composeSchema = z.object({
  services: z.record(z.string(), serviceSchema),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
  volumes: z.record(z.string(), z.unknown()),
  networks: z.record(z.string(), z.unknown()),
});
const compose = composeSchema.parse(parse(readFileSync('compose.yaml', 'utf8')));
const services = Object.entries(compose.services);
const rotation = z
  .object({
    services: z.object({
      sluice: z.object({ environment: z.record(z.string(), z.string()), secrets: z.array(z.string()) }),
    }),
    secrets: z.record(z.string(), z.object({ file: z.string() })),
  })
  .parse(parse(readFileSync('deploy/compose/rotation.yaml', 'utf8')));
const sluice = compose.services.sluice;
if (sluice === undefined) throw new Error('no service sluice');

const SECRETS = 'deploy/compose/secrets';
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-compose-'));
  cpSync('deploy/compose/make-secrets.sh', join(folder, 'deploy/compose/make-secrets.sh'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command of the documentation. @returns the content of each secret, by its name */
function makeSecrets(documented = 'compose secrets'): Record<string, string> {
  const command = snippets.find(({ name }) => name === documented)?.code ?? '';
  execFileSync('sh', ['-ec', command], { cwd: folder, stdio: 'pipe' });
  const secrets = join(folder, SECRETS);
  return Object.fromEntries(readdirSync(secrets).map((name) => [name, readFileSync(join(secrets, name), 'utf8')]));
}

describe('compose.yaml', () => {
  it('pins the version of every image', () => {
    for (const [name, { image }] of services)
      expect([name, image]).toEqual([name, expect.stringMatching(/:v?\d+\.\d+\.?\d*/)]);
  });

  it('checks the health of every service that has no check in its image', () => {
    expect(services.filter(([name, { healthcheck }]) => name !== 'sluice' && healthcheck === undefined)).toEqual([]);
  });

  it('publishes ports on this machine only', () => {
    const ports = services.flatMap(([, service]) => service.ports);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('passes each own secret as a file', () => {
    const plain = Object.keys(sluice.environment).filter((name) => secretSettings.includes(name));
    expect(plain).toEqual([]);
    const mounted = services.flatMap(([, service]) =>
      Object.values(service.environment).flatMap((value) => /^\/run\/secrets\/(\w+)$/.exec(String(value))?.[1] ?? []),
    );
    expect(mounted.length).toBeGreaterThan(5);
    for (const name of mounted) expect(compose.secrets).toHaveProperty(name);
  });

  it('declares what services refer to, and mounts files that exist', () => {
    for (const [, { secrets, networks, volumes }] of services) {
      for (const name of secrets) expect(compose.secrets).toHaveProperty(name);
      for (const name of networks) expect(compose.networks).toHaveProperty(name);
      for (const volume of volumes) {
        const [from = ''] = volume.split(':');
        if (from.startsWith('./')) expect([from, existsSync(from)]).toEqual([from, true]);
        else expect(compose.volumes).toHaveProperty(from);
      }
    }
  });

  it('gives the server more time to stop than it drains', () => {
    const drainMs = Number(sluice.environment.SLUICE_DRAIN_TIMEOUT_MS);
    expect(Number.parseInt(sluice.stop_grace_period ?? '', 10) * 1_000).toBeGreaterThan(drainMs + 20_000);
    expect(sluice.read_only).toBe(true);
  });
});

describe('the secrets of compose.yaml', () => {
  it('are all made by the script, which changes none that exists', () => {
    const first = makeSecrets();
    expect(Object.keys(first).toSorted()).toEqual(Object.keys(compose.secrets).toSorted());
    expect(makeSecrets()).toEqual(first);
    expect(statSync(join(folder, SECRETS)).mode & 0o777).toBe(0o700);
  });

  /** The environment of the server, as Compose makes it with these variables in the shell. */
  function environmentWith(variables: Readonly<Record<string, string>>): Record<string, string> {
    const interpolated = (value: string): string =>
      value.replace(/\$\{(\w+):([-+])([^}]*)\}/g, (_, name: string, operator: string, word: string) =>
        operator === '+' ? (variables[name] ? word : '') : variables[name] || word,
      );
    return Object.fromEntries(
      Object.entries(sluice?.environment ?? {}).map(([name, value]) => [
        name,
        interpolated(String(value)).replace('/run/secrets', join(folder, SECRETS)),
      ]),
    );
  }

  it('configure a server without errors or warnings, which uses all cores', async () => {
    makeSecrets();
    const environment = environmentWith({});
    const { warnings, DATABASE_URL, REDIS_URL } = parseEnvironment({ ...environment, HOST: '0.0.0.0' }, ['openai']);
    expect(warnings).toEqual([]);
    expect(environment.WORKERS).toBe('auto');
    expect([DATABASE_URL, REDIS_URL]).toEqual([
      expect.stringContaining('@postgres:'),
      expect.stringContaining('@valkey:'),
    ]);
    await expect(readConfigFile('deploy/compose/config/sluice.yaml', true, {})).resolves.toBeDefined();
  });

  it('configure a bucket, whose store accepts the credentials of the server alone', () => {
    const secrets = makeSecrets();
    const variables = environmentWith({ S3_BUCKET: 'sluice' });
    const environment = parseEnvironment({ ...variables, HOST: '0.0.0.0' }, ['openai']);
    expect(environment).toMatchObject({ SLUICE_STORAGE: 's3', S3_BUCKET: 'sluice', S3_FORCE_PATH_STYLE: true });
    const { S3_ACCESS_KEY_ID: accessKey, S3_SECRET_ACCESS_KEY: secretKey } = environment;
    expect(JSON.parse(secrets.s3_identities ?? '')).toEqual({
      identities: [{ name: 'sluice', credentials: [{ accessKey, secretKey }], actions: ['Admin'] }],
    });
    expect(parseEnvironment({ ...environmentWith({}), HOST: '0.0.0.0' }, []).SLUICE_STORAGE).toBe('folder');
  });

  it('are both passed during a rotation of the master key', () => {
    const { sluice_secret: before } = makeSecrets();
    const { environment, secrets } = rotation.services.sluice;
    expect(secrets).toEqual(Object.keys(rotation.secrets));
    expect(rotation.secrets.sluice_secret_previous?.file).toBe(`${SECRETS}/sluice_secret_previous`);
    const rotated = makeSecrets('compose rotation');
    expect(rotated.sluice_secret_previous).toBe(before);
    expect(rotated.sluice_secret).not.toBe(before);
    const file = environment.SLUICE_SECRET_PREVIOUS_FILE?.replace('/run/secrets', join(folder, SECRETS));
    const variables = { ...environmentWith({}), HOST: '0.0.0.0', SLUICE_SECRET_PREVIOUS_FILE: file };
    const parsed = parseEnvironment(variables, []);
    expect(parsed.warnings).toEqual([]);
    expect([parsed.SLUICE_SECRET, parsed.SLUICE_SECRET_PREVIOUS]).toEqual([
      rotated.sluice_secret?.trim(),
      before?.trim(),
    ]);
    expect(statSync(String(file)).mode & 0o777).toBe(0o444);
  });
});
