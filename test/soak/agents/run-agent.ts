import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { claudeProgram, codexScript, geminiScript, openCodeProgram } from '../../harness/agent-programs.ts';
import { openCodeTranscript, type Compaction } from './compaction.ts';
import { COMPACTED_AT_TOKENS, FINAL_TEXT, type ShellTool } from './script.ts';

/** What an agent is started with. */
interface AgentStart {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Of a second run, which continues the conversation; absent where the first is the only one. */
  readonly nextArgs?: readonly string[];
  /** By path, in its home folder. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface Agent {
  readonly name: string;
  readonly tool: ShellTool;
  /** Whether it sends its turns over a WebSocket. */
  readonly isOverSocket?: boolean;
  readonly compaction: Compaction;
  /** Whether it returns the ids of messages and calls, beside those that results name. */
  readonly returnsItemIds?: true;
  /** Whether it returns reasoning to models that sign none. */
  readonly returnsUnsignedReasoning?: true;
  /** A program, and a script of it where it is an interpreter. */
  readonly command: readonly string[];
  startOn(gateway: Gateway, model: string): AgentStart;
}

const TASK = 'Run the commands of this task, then say that it is complete.';

const codexSettings = `
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
model_auto_compact_token_limit = ${COMPACTED_AT_TOKENS}
analytics = { enabled = false }
`;

const codex = {
  returnsItemIds: true,
  compaction: { asks: /CONTEXT CHECKPOINT COMPACTION/, keptTurns: 0, drafts: 1 },
  tool: { name: 'exec_command', argumentsFor: (cmd: string) => ({ cmd }) },
  command: [process.execPath, codexScript],
} as const;

const codexArgs = ['exec', '--skip-git-repo-check', '--json', TASK];

/** @param isOverSocket whether it sends its turns over a WebSocket */
const codexOfProvider = (isOverSocket: boolean): Agent => ({
  ...codex,
  name: isOverSocket ? 'Codex over a WebSocket' : 'Codex',
  isOverSocket,
  startOn: ({ url, apiKey }, model) => ({
    args: codexArgs,
    env: { SLUICE_API_KEY: apiKey },
    files: {
      '.codex/config.toml': `
model = "${model}"
model_provider = "sluice"
${codexSettings}
[model_providers.sluice]
name = "Sluice"
base_url = "${url}/v1"
env_key = "SLUICE_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = ${isOverSocket}
`,
    },
  }),
});

/** With the provider that it has built in, at another address: the provider compacts, not the model. */
const codexBuiltIn: Agent = {
  ...codex,
  name: 'Codex with its built-in provider',
  isOverSocket: true,
  compaction: { ...codex.compaction, asks: /^(?:compaction_trigger$|Summarise the conversation so far)/ },
  startOn: ({ url, apiKey }, model) => ({
    args: codexArgs,
    env: { CODEX_API_KEY: apiKey },
    files: { '.codex/config.toml': `model = "${model}"\nopenai_base_url = "${url}/v1"\n${codexSettings}` },
  }),
};

export const claudeCode: Agent = {
  name: 'Claude Code',
  compaction: { asks: /create a detailed summary of the conversation/, keptTurns: 1, drafts: 1, isTagged: true },
  tool: { name: 'Bash', argumentsFor: (command) => ({ command, description: 'Print a number' }) },
  command: [claudeProgram],
  startOn: ({ url, apiKey }, model) => ({
    args: ['-p', TASK, '--model', model, '--allowedTools', 'Bash', '--output-format', 'json'],
    nextArgs: ['-p', 'Is it?', '--continue', '--model', model, '--output-format', 'json'],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: apiKey,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(COMPACTED_AT_TOKENS),
    },
  }),
};

/** Of each model, as the program has it. */
const GEMINI_CONTEXT_TOKENS = 1_048_576;

/** Prompts it with what stands on the error output, if the task is not complete. */
const GO_ON = `grep -q '${FINAL_TEXT}' || { echo 'Run the other commands.' >&2; exit 2; }`;

export const geminiCli: Agent = {
  name: 'Gemini CLI',
  // It summarizes no turn of the prompt that it works on: a hook prompts it once more.
  compaction: {
    asks: /Generate a new <state_snapshot>|Critically evaluate the <state_snapshot>/,
    keptTurns: 10,
    drafts: 2,
    stopsAfter: 15,
    callId: ({ name, id }) => `${name}__${id}`,
    acknowledgement: 'Got it. Thanks for the additional context!',
  },
  tool: { name: 'run_shell_command', argumentsFor: (command) => ({ command, description: 'Print a number' }) },
  command: [process.execPath, geminiScript],
  startOn: ({ url, apiKey }, model) => ({
    args: ['--model', model, '--approval-mode', 'yolo', '--prompt', TASK],
    env: { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: apiKey, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    files: {
      '.gemini/settings.json': JSON.stringify({
        general: { enableAutoUpdate: false },
        // Loop detection would ask models of other names.
        model: { disableLoopDetection: true, compressionThreshold: COMPACTED_AT_TOKENS / GEMINI_CONTEXT_TOKENS },
        hooks: { AfterAgent: [{ hooks: [{ name: 'complete', type: 'command', command: GO_ON }] }] },
        privacy: { usageStatisticsEnabled: false },
        security: { auth: { selectedType: 'gemini-api-key' } },
        tools: { shell: { enableInteractiveShell: false } },
      }),
    },
  }),
};

const openCode: Agent = {
  name: 'opencode',
  returnsUnsignedReasoning: true,
  compaction: {
    asks: /\[Assistant tool call\]: /,
    keptTurns: 0,
    drafts: 1,
    isSaidByModel: true,
    transcript: openCodeTranscript,
  },
  tool: { name: 'bash', argumentsFor: (command) => ({ command, description: 'Print a number' }) },
  command: [openCodeProgram],
  startOn: ({ url, apiKey }, model) => ({
    // With a title, as it asks the model for one else.
    args: ['run', '--auto', '--title', 'Commands', '--model', `sluice/${model}`, TASK],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
    },
    files: {
      'opencode.json': JSON.stringify({
        autoupdate: false,
        share: 'disabled',
        enabled_providers: ['sluice'],
        provider: {
          sluice: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey },
            models: { [model]: { tool_call: true, limit: { context: COMPACTED_AT_TOKENS + 8_000, output: 8_000 } } },
          },
        },
      }),
    },
  }),
};

export const agents: readonly Agent[] = [
  codexOfProvider(false),
  codexOfProvider(true),
  codexBuiltIn,
  claudeCode,
  geminiCli,
  openCode,
];

/** Where nothing listens: what an agent asks of another host than loopback fails at once. */
const NO_NETWORK = 'http://127.0.0.1:9';

interface Gateway {
  readonly url: string;
  readonly apiKey: string;
}

/** What it printed, and how it ended. */
interface AgentRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs it to its end, in folders that are removed. */
export async function runAgent(agent: Agent, gateway: Gateway, model: string): Promise<AgentRun> {
  return inHome(agent.startOn(gateway, model), (home, { args, env }) => run(agent, home, args, env));
}

/** Runs it, and again for the next turn of the same conversation. @returns both runs, in order */
export async function runTurns(agent: Agent, gateway: Gateway, model: string): Promise<AgentRun[]> {
  return inHome(agent.startOn(gateway, model), async (home, { args, nextArgs = [], env }) => [
    await run(agent, home, args, env),
    await run(agent, home, nextArgs, env),
  ]);
}

async function inHome<T>(start: AgentStart, use: (home: string, start: AgentStart) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'sluice-agent-'));
  for (const [path, text] of Object.entries(start.files ?? {})) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  try {
    return await use(home, start);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function run(agent: Agent, home: string, args: readonly string[], env: AgentStart['env']): Promise<AgentRun> {
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
  }
}
