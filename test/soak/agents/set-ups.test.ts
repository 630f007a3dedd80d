import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setUps, type SetUp } from '../../../src/dashboard/pages/tools/set-ups.ts';
import { hasAgents, programs } from '../../harness/agent-programs.ts';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

const run = promisify(execFile);

/** How the set-up that is shown to users is applied without a terminal, and asks one question. */
interface Applied {
  readonly tool: string;
  /** Where its code is a file: its path in the home folder. */
  readonly file?: string;
  /** Further files, by their path there. */
  readonly files?: Readonly<Record<string, string>>;
  /** Where its code is a command: what follows it. */
  readonly also: string;
}

const QUESTION = '"Say hello."';

const applied: readonly Applied[] = [
  { tool: 'Codex', also: ` exec --skip-git-repo-check ${QUESTION}` },
  { tool: 'Claude Code', also: ` -p ${QUESTION}` },
  {
    tool: 'Gemini CLI',
    files: { '.gemini/settings.json': quoted('Gemini CLI', /`(\{.*\})`/) },
    also: ` --skip-trust --prompt ${QUESTION}`,
  },
  { tool: 'opencode', file: 'opencode.json', also: `opencode run ${QUESTION}` },
  { tool: 'Cline', also: `\ncline ${QUESTION}` },
  { tool: 'Continue', file: 'config.yaml', also: `cn -p --config config.yaml ${QUESTION}` },
];

let account: TestAccount;

beforeAll(async () => {
  account = await newAccount();
});

afterAll(() => account.dispose());

function setUpOf(tool: string): SetUp {
  return setUps.find(({ name }) => name === tool) ?? expect.unreachable();
}

/** What the text before the code quotes. */
function quoted(tool: string, pattern: RegExp): string {
  return pattern.exec(setUpOf(tool).before ?? '')?.[1] ?? '';
}

/** Scripts that start the agents, which are then found by their names. */
function installIn(folder: string): void {
  for (const [name, command] of Object.entries(programs)) {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\nexec ${command.map((part) => `'${part}'`).join(' ')} "$@"\n`);
    chmodSync(path, 0o755);
  }
}

describe.skipIf(!hasAgents)('the set-up that users copy', () => {
  it.each(applied)('makes $tool answer', async ({ tool, file, files = {}, also }) => {
    const home = mkdtempSync(join(tmpdir(), 'sluice-set-up-'));
    try {
      const bin = join(home, 'bin');
      mkdirSync(bin);
      installIn(bin);
      const code = setUpOf(tool).code?.({ origin: account.url, model: 'sandbox/chat' }) ?? '';
      const written = { ...files, ...(file !== undefined && { [file]: code }) };
      for (const [path, text] of Object.entries(written)) {
        mkdirSync(dirname(join(home, path)), { recursive: true });
        writeFileSync(join(home, path), text);
      }
      const shell = run('bash', ['-c', file === undefined ? code + also : also], {
        cwd: home,
        env: {
          PATH: `${bin}:${process.env.PATH}`,
          HOME: home,
          TMPDIR: home,
          SLUICE_API_KEY: account.apiKey,
          // Where nothing listens: only loopback is reached.
          HTTP_PROXY: 'http://127.0.0.1:9',
          HTTPS_PROXY: 'http://127.0.0.1:9',
          NO_PROXY: '127.0.0.1',
        },
      });
      shell.child.stdin?.end();
      expect((await shell).stdout).toMatch(/sandbox.*\b(?:no|not an) AI model\b/);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
});
