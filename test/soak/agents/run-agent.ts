import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { claudeProgram, codexScript } from '../../harness/agent-programs.ts';
import type { ShellTool } from './script.ts';

/** What an agent is started with. */
interface AgentStart {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** By path, in its home folder. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface Agent {
  readonly name: string;
  readonly tool: ShellTool;
  /** Whether it asks for a summary when its context is full. Claude Code was not seen to do so in this mode. */
  readonly compacts: boolean;
  /** A program, and a script of it where it is an interpreter. */
  readonly command: readonly string[];
  startOn(gateway: { url: string; apiKey: string }, model: string): AgentStart;
}

const TASK = 'Run the commands of this task, then say that it is complete.';

const codex: Agent = {
  name: 'Codex',
  compacts: true,
  tool: { name: 'exec_command', argumentsFor: (cmd) => ({ cmd }) },
  command: [process.execPath, codexScript],
  startOn: ({ url, apiKey }, model) => ({
    args: ['exec', '--skip-git-repo-check', '--json', TASK],
    env: { SLUICE_API_KEY: apiKey },
    files: {
      '.codex/config.toml': `
model = "${model}"
model_provider = "sluice"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
model_auto_compact_token_limit = 150000
analytics = { enabled = false }

[model_providers.sluice]
name = "Sluice"
base_url = "${url}/v1"
env_key = "SLUICE_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`,
    },
  }),
};

const claudeCode: Agent = {
  name: 'Claude Code',
  compacts: false,
  tool: { name: 'Bash', argumentsFor: (command) => ({ command, description: 'Print a number' }) },
  command: [claudeProgram],
  startOn: ({ url, apiKey }, model) => ({
    args: ['-p', TASK, '--model', model, '--allowedTools', 'Bash', '--output-format', 'json'],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: apiKey,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
  }),
};

export const agents: readonly Agent[] = [codex, claudeCode];

/** Where nothing listens: what an agent asks of another host than loopback fails at once. */
const NO_NETWORK = 'http://127.0.0.1:9';

/** Runs it to its end, in folders that are removed. @returns what it printed, and how it ended */
export async function runAgent(
  agent: Agent,
  gateway: { url: string; apiKey: string },
  model: string,
): Promise<{ code: number | null; out: string; err: string }> {
  const home = mkdtempSync(join(tmpdir(), 'sluice-agent-'));
  const { args, env, files = {} } = agent.startOn(gateway, model);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const [program = '', ...before] = agent.command;
  const proxies = { HTTP_PROXY: NO_NETWORK, HTTPS_PROXY: NO_NETWORK, NO_PROXY: '127.0.0.1' };
  const child = spawn(program, [...before, ...args], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, TMPDIR: home, SHELL: '/bin/bash', ...proxies, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: what it started ends with it.
    detached: true,
  });
  const texts = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.err += text));
  const endGroup = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Nothing of it is left.
    }
  };
  process.once('exit', endGroup);
  try {
    const [code] = await once(child, 'close');
    return { code: typeof code === 'number' ? code : null, ...texts };
  } finally {
    endGroup();
    process.off('exit', endGroup);
    rmSync(home, { recursive: true, force: true });
  }
}
