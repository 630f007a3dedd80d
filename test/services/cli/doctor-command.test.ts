import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { doctorCommand } from '../../../src/cli/doctor/doctor.command.ts';
import type { Finding } from '../../../src/cli/doctor/finding.ts';
import { openDatabase, type Database, type OpenDatabaseOptions } from '../../../src/database/database.ts';
import { Account, ProviderConnection } from '../../../src/database/entities/index.ts';
import { CredentialVault } from '../../../src/services/connections/credential-vault.ts';
import { describeOnEachDatabase } from '../../harness/databases.ts';
import { startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { freePort } from '../../harness/free-port.ts';
import { runCommand } from '../../harness/run-command.ts';

const masterKey = 'a master key of this suite, which is long enough';

async function examine(place: OpenDatabaseOptions, variables: Readonly<Record<string, string>> = {}) {
  const { code, out } = await runCommand('doctor', doctorCommand, place, ['--json'], variables);
  const findings: readonly Finding[] = JSON.parse(out);
  return { code, of: (subject: string) => findings.filter((finding) => finding.subject === subject), findings };
}

describeOnEachDatabase('sluice doctor', (databases) => {
  let place: OpenDatabaseOptions;

  beforeAll(async () => {
    place = await databases.place();
  });

  async function withDatabase(work: (database: Database) => Promise<unknown>): Promise<void> {
    const database = await openDatabase(place);
    await work(database).finally(() => database.close());
  }

  it('finds a migrated database', async () => {
    const { code, of } = await examine(place);
    expect(code).toBe(0);
    expect(of('Database')).toContainEqual(
      expect.objectContaining({ state: 'ok', text: expect.stringContaining('PostgreSQL 1') }),
    );
    expect(of('Migrations')).toMatchObject([{ state: 'ok', text: expect.stringMatching(/^all \d+ are applied$/) }]);
    if (databases.kind === 'server') expect(of('Clock')).toMatchObject([{ state: 'ok' }]);
  });

  it('finds a master key that is not that of the database', async () => {
    await withDatabase(async (database) => {
      const em = database.em();
      const account = em.create(Account, { id: randomUUID(), name: 'First' });
      const connection = em.create(ProviderConnection, { account, provider: 'openai', name: 'Ours' });
      const owner = { accountId: account.id, rowId: connection.id };
      connection.sealedCredentials = new CredentialVault([{ version: 1, masterKey }]).seal('{}', owner);
      await em.persist([account, connection]).flush();
    });
    const right = await examine(place, { SLUICE_SECRET: masterKey });
    expect(right.of('Master key')).toContainEqual(
      expect.objectContaining({ state: 'ok', text: expect.stringContaining('decrypts') }),
    );
    const wrong = await examine(place, { SLUICE_SECRET: 'another master key, which is long enough' });
    expect(wrong.code).toBe(1);
    expect(wrong.of('Master key')).toContainEqual(
      expect.objectContaining({ state: 'failed', text: expect.stringContaining('does not decrypt') }),
    );
  });

  it('tells pending migrations from those of a newer version', async () => {
    await withDatabase(({ query }) =>
      query(
        "update mikro_orm_migrations set name = 'Migration29991231' where id = (select max(id) from mikro_orm_migrations)",
      ),
    );
    const { of } = await examine(place);
    expect(of('Migrations')).toMatchObject([{ state: 'warning', text: expect.stringContaining('Migration29991231') }]);
    await withDatabase(({ query }) => query("delete from mikro_orm_migrations where name = 'Migration29991231'"));
    const pending = await examine(place, { SLUICE_SECRET: masterKey });
    expect(pending.code).toBe(0);
    expect(pending.of('Migrations')).toMatchObject([{ state: 'warning', text: '1 are not applied yet' }]);
  });
});

describe('sluice doctor', () => {
  let dataDir: string;
  const opened: { close(): unknown }[] = [];

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'sluice-doctor-'));
  });
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  it('creates nothing where there is no data folder', async () => {
    const { code, of, findings } = await examine({ dataDir: join(dataDir, 'none') });
    expect(code).toBe(0);
    expect(findings.filter(({ state }) => state === 'failed')).toEqual([]);
    expect(of('Data folder')).toMatchObject([{ state: 'unused' }]);
    expect(of('Database')).toMatchObject([{ state: 'unused' }]);
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('finds a data folder that others may enter', async () => {
    await chmod(dataDir, 0o755);
    const { of } = await examine({ dataDir });
    expect(of('Data folder')).toContainEqual(
      expect.objectContaining({ state: 'warning', advice: expect.stringContaining(`chmod 700 ${dataDir}`) }),
    );
  });

  it('names each fault of the configuration, and checks nothing else', async () => {
    const { code, findings } = await examine({ dataDir }, { PORT: 'x', REDIS_URL: 'http://a' });
    expect(code).toBe(1);
    expect(findings.map(({ subject }) => subject)).toEqual(['Configuration', 'Configuration']);
  });

  it('finds servers that cannot be reached, without their passwords', async () => {
    const port = await freePort();
    const { code, findings, of } = await examine(
      { dataDir, url: `postgres://sluice:hunter2secret@127.0.0.1:${port}/sluice` },
      {
        REDIS_URL: `redis://:hunter2secret@127.0.0.1:${port}`,
        SMTP_URL: `smtp://me:hunter2secret@127.0.0.1:${port}`,
        S3_BUCKET: 'files',
        S3_ENDPOINT: `http://127.0.0.1:${port}`,
        S3_FORCE_PATH_STYLE: 'on',
        S3_ACCESS_KEY_ID: 'me',
        S3_SECRET_ACCESS_KEY: 'hunter2secret',
      },
    );
    expect(code).toBe(1);
    for (const subject of ['Database', 'Storage', 'Redis', 'Mail'])
      expect(of(subject)).toMatchObject([{ state: 'failed', text: expect.stringContaining(`127.0.0.1:${port}`) }]);
    expect(JSON.stringify(findings)).not.toContain('hunter2secret');
  });

  it('signs in to the mail server', async () => {
    const server = new SMTPServer({
      allowInsecureAuth: true,
      disabledCommands: ['STARTTLS'],
      onAuth: ({ password }, _session, done) =>
        password === 'right' ? done(null, { user: 'me' }) : done(new Error('no such password')),
    });
    const port = await freePort();
    await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
    opened.push({ close: () => new Promise<void>((resolve) => void server.close(resolve)) });
    const right = await examine({ dataDir }, { SMTP_URL: `smtp://me:right@127.0.0.1:${port}` });
    expect(right.of('Mail')).toMatchObject([{ state: 'ok' }]);
    const wrong = await examine({ dataDir }, { SMTP_URL: `smtp://me:wrongpass@127.0.0.1:${port}` });
    expect(wrong.of('Mail')).toMatchObject([{ state: 'failed', text: expect.stringContaining('no such password') }]);
  });

  async function provider(status: number): Promise<FakeProvider> {
    const fake = await startFakeProvider((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(status === 200 ? { data: [{ id: 'gpt-5' }] } : { error: { message: 'no' } }));
    });
    opened.push(fake);
    return fake;
  }

  it.each([
    [200, 'ok', 'openai answers, and lists 1 models', null],
    [401, 'failed', 'rejected the configured credentials', 'OPENAI_API_KEY'],
    [500, 'failed', 'openai', 'base_url'],
  ])('asks a provider that answers %i for its models', async (status, state, text, advice) => {
    const { url, requests } = await provider(status);
    const { of } = await examine({ dataDir }, { OPENAI_API_KEY: 'sk-not-to-be-shown', OPENAI_BASE_URL: url });
    const [finding] = of('Provider');
    expect(finding).toMatchObject({ state, text: expect.stringContaining(text) });
    if (advice === null) expect(finding?.advice).toBeNull();
    else expect(finding?.advice).toContain(advice);
    expect(JSON.stringify(finding)).not.toContain('sk-not-to-be-shown');
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toContain('GET /v1/models');
  });

  it('says what to do in words', async () => {
    const { code, out } = await runCommand('doctor', doctorCommand, { dataDir }, [], {
      SMTP_URL: `smtp://127.0.0.1:${await freePort()}`,
    });
    expect(code).toBe(1);
    expect(out).toMatch(/^ok {7}Configuration {2}/);
    expect(out).toMatch(/^FAILED {3}Mail {11}.*\n {24}-> Check host/m);
    expect(out).toMatch(/\n1 failed, \d warnings?\.\n$/);
  });
});
