import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/entities/index.ts';
import { temporaryDataDir } from '../../harness/databases.ts';
import { shared } from '../../harness/shared-resources.ts';

const sluice = fileURLToPath(new URL('../../../dist/cli/sluice.js', import.meta.url));
let place: Awaited<ReturnType<typeof temporaryDataDir>>;

beforeAll(async () => {
  await shared('build');
  place = await temporaryDataDir();
  const database = await openDatabase(place.options);
  const em = database.em();
  em.persist(em.create(Account, { id: randomUUID(), name: 'First' }));
  await em.flush();
  await database.close();
});
afterAll(() => place.remove());

async function run(env: Readonly<Record<string, string>>, ...args: string[]) {
  const child = spawn(process.execPath, [sluice, ...args], {
    cwd: place.options.dataDir,
    env: { PATH: process.env.PATH, SLUICE_DATA_DIR: place.options.dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: Number(code), out, err };
}

describe('commands without requests to providers', () => {
  it('run with missing and with wrong provider credentials', async () => {
    writeFileSync(
      join(place.options.dataDir, 'sluice.yaml'),
      'providers: { openai: { api_key: "${NOT_IN_THIS_SHELL}" } }\n',
    );
    expect(await run({ OPENAI_BASE_URL: 'nourl' }, 'migrate')).toMatchObject({
      code: 0,
      out: 'The database is up to date.\n',
    });
    expect((await run({}, 'keys', 'list')).err).not.toContain('NOT_IN_THIS_SHELL');
    const served = await run({ PORT: '0' }, 'serve');
    expect(served).toMatchObject({
      code: 1,
      err: expect.stringContaining('the environment variable NOT_IN_THIS_SHELL is not set'),
    });
  });

  it.each([
    [['catalogue', 'show', 'sandbox/chat'], /free/],
    [['export', 'usage', '--format', 'jsonl'], /^$/],
    [['invoices', 'list'], /^No invoices\.\n$/],
    [['keys', 'create', 'plain'], /^sk-sluice-\w{38}\n$/],
    [['ledger', 'check'], /^The ledger is consistent: /],
  ])('run by their names: %j', async (args, printed) => {
    expect(await run({}, ...args)).toMatchObject({ code: 0, out: expect.stringMatching(printed) });
  });

  it('fail with a message for an unknown option or command', async () => {
    expect(await run({}, 'keys', 'list', '--bogus')).toEqual({
      code: 2,
      out: '',
      err: "sluice keys: Unknown option '--bogus'. `sluice keys --help` lists the options.\n",
    });
    expect(await run({}, 'polish')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/^Unknown command: polish/),
    });
  });

  it('print the version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    expect(await run({}, '--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });
});

describe('a database that cannot be used', () => {
  const secret = 'a master key for tests, which is long enough';

  it('is reported with its address and without its password', async () => {
    const url = 'postgres://me:hunter22@127.0.0.1:9/sluice';
    const { code, err } = await run({ DATABASE_URL: url, SLUICE_SECRET: secret }, 'migrate');
    expect(code).toBe(1);
    expect(err).toMatch(/^The database at 127\.0\.0\.1:9 \(DATABASE_URL\) could not be reached: .*ECONNREFUSED/);
    expect(err).not.toContain('hunter22');
    expect(err.trim().split('\n')).toHaveLength(1);
  });
});
