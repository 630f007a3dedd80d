import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../../../src/config/config-file.ts';
import { usualLimits } from '../../../../src/graphql/limits/settings.ts';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

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

function snippet(name: string): string {
  const found = new RegExp(`<!-- test: ${name} -->\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1];
  if (found === undefined) throw new Error(`README.md has no snippet ${name}`);
  return found.replaceAll('127.0.0.1:4000', new URL(account.url).host);
}

describe('the example in README.md', () => {
  it.concurrent.each([
    ['urql', 'from urql'],
    ['apollo', 'from Apollo'],
    ['graphql-ws', 'from a socket'],
  ])('for %s asks, changes and subscribes', async (client, keyName) => {
    const file = join(folder, `${client}.mjs`);
    writeFileSync(file, snippet(`client ${client}`));
    const { stdout } = await run(process.execPath, [file], {
      env: { PATH: process.env.PATH, SLUICE_API_KEY: account.apiKey },
    });
    expect(stdout).toMatch(/query .*account/i);
    expect(stdout).toContain(`mutation ${keyName}`);
    expect(stdout.match(/subscription [1-9]\d*/g)).toHaveLength(1);
  });

  it('of the configuration has no fault, and the limits that hold anyway', () => {
    const { limits } = parseConfig('README.md', snippet('graphql.yaml'), {}).graphql;
    const { depth, aliases, rootFields, directives, tokens, cost, costPerMinute } = usualLimits;
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
