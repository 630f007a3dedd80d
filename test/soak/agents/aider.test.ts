import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aiderProgram } from '../../harness/agent-programs.ts';
import { startConfigured } from '../../harness/configured-server.ts';
import type { ServerProcess } from '../../harness/server-process.ts';
import { codeOf, inHome } from './apply-set-up.ts';
import type { ScriptedTurn } from './script.ts';
import { startScriptedProvider, type ScriptedProvider } from './scripted-provider.ts';

let provider: ScriptedProvider;
let server: ServerProcess;

beforeAll(async () => {
  provider = await startScriptedProvider();
  server = await startConfigured(`
providers:
  chat-server: { base_url: "${provider.origin}/v1", billed: false }
  anthropic: { api_key: x, base_url: "${provider.origin}/v1" }
`);
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

const before = 'def greet():\n    return "Hello"\n';
const after = 'def greet():\n    return "Goodbye"\n';
/** A change of the file, for models that Aider knows. */
const changed = `<<<<<<< SEARCH\n${before}=======\n${after}>>>>>>> REPLACE\n`;
const MESSAGE = 'feat: say goodbye';

function saying(text: string): ScriptedTurn {
  return { reasoning: '', secret: '', text, calls: [], inputTokens: 100 };
}

describe.skipIf(aiderProgram === null)('the set-up of Aider that users copy', () => {
  it.each([
    // Aider does not know the model, and has it write whole files.
    { protocol: 'chat', model: 'chat-server/model', edit: `greet.py\n\`\`\`\n${after}\`\`\`\n` },
    { protocol: 'messages', model: 'anthropic/claude-sonnet-4-5', edit: `greet.py\n\`\`\`\n${changed}\`\`\`\n` },
  ] as const)('makes it edit and commit a file, on a model of $protocol', async ({ protocol, model, edit }) => {
    const { played, unexpected } = provider.play(protocol, [saying(edit), saying(MESSAGE)]);
    const programs = { aider: [aiderProgram ?? ''] };
    await inHome(programs, { 'repository/greet.py': before }, async ({ folder, shell }) => {
      const repository =
        'cd repository && git init -q && git config user.name A && git config user.email a@example.com';
      await shell(`${repository} && git add . && git commit -qm 'Greet'`, '');
      const code = codeOf('Aider', server.url, model);
      const { stdout } = await shell(
        `cd repository\n${code} --yes-always --message 'Say goodbye.' greet.py`,
        server.apiKey,
      );
      expect(unexpected).toEqual([]);
      expect(readFileSync(join(folder, 'repository', 'greet.py'), 'utf8'), stdout).toBe(after);
      expect((await shell('cd repository && git log -1 --format=%s -- greet.py', '')).stdout.trim()).toBe(MESSAGE);
      expect(played).toHaveLength(2);
    });
  });
});
