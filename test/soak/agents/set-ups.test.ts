import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasAgents, programs } from '../../harness/agent-programs.ts';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';
import { codeOf, inHome, setUpOf } from './apply-set-up.ts';

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

/** What the text before the code quotes. */
function quoted(tool: string, pattern: RegExp): string {
  return pattern.exec(setUpOf(tool).before ?? '')?.[1] ?? '';
}

describe.skipIf(!hasAgents)('the set-up that users copy', () => {
  it.each(applied)('makes $tool answer', ({ tool, file, files = {}, also }) => {
    const code = codeOf(tool, account.url, 'sandbox/chat');
    return inHome(programs, { ...files, ...(file !== undefined && { [file]: code }) }, async ({ shell }) => {
      const { stdout } = await shell(file === undefined ? code + also : also, account.apiKey);
      expect(stdout).toMatch(/sandbox.*\b(?:no|not an) AI model\b/);
    });
  });
});
