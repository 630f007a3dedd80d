import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../../../src/config/config-file.ts';
import { DEFAULT_LIMITS } from '../../../../src/graphql/limits/settings.ts';
import { snippet } from '../../../harness/docs.ts';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';

const run = promisify(execFile);

let account: TestAccount;
/** Inside the checkout, so that the examples find the packages that they import. */
let folder: string;

beforeAll(async () => {
  account = await newAccount();
  folder = mkdtempSync(join(import.meta.dirname, '.run-'));
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await account.dispose();
});

describe('the example in docs/graphql', () => {
  it.concurrent.each([
    ['urql', 'from urql'],
    ['apollo', 'from Apollo'],
    ['graphql-ws', 'from a socket'],
  ])('for %s queries, mutates and subscribes', async (client, keyName) => {
    const file = join(folder, `${client}.mjs`);
    writeFileSync(file, snippet(`client ${client}`, account));
    const { stdout } = await run(process.execPath, [file], {
      env: { PATH: process.env.PATH, SLUICE_API_KEY: account.apiKey },
    });
    expect(stdout).toMatch(/query .*account/i);
    expect(stdout).toContain(`mutation ${keyName}`);
    expect(stdout.match(/subscription [1-9]\d*/g)).toHaveLength(1);
  });

  it('of the configuration is valid and contains the default limits', () => {
    const { limits } = parseConfig('docs/graphql/queries.md', snippet('graphql.yaml', account), {}).graphql;
    const { depth, aliases, rootFields, directives, tokens, cost, costPerMinute } = DEFAULT_LIMITS;
    expect(limits).toEqual({
      depth,
      aliases,
      root_fields: rootFields,
      directives,
      tokens,
      cost,
      cost_per_minute: costPerMinute,
    });
  });
});
