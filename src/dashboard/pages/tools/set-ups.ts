/** What a set-up is filled with. */
interface Filling {
  /** The address of the server. */
  readonly origin: string;
  readonly model: string;
}

/** The set-up of one tool, which reads the key from `SLUICE_API_KEY`. */
export interface SetUp {
  readonly name: string;
  /** The path of its base URL. */
  readonly path: '' | '/v1';
  /** Markdown. */
  readonly before?: string;
  readonly language?: 'sh' | 'json' | 'yaml';
  readonly code?: (filling: Filling) => string;
  /** Markdown. */
  readonly after?: string;
  /** TOML of a configuration file, which `after` introduces. */
  readonly file?: (filling: Filling) => string;
}

/** The sections of docs/tools.md: a test compares both. */
export const setUps: readonly SetUp[] = [
  {
    name: 'Codex',
    path: '/v1',
    language: 'sh',
    code: ({ origin, model }) => `codex -c model=${model} -c model_provider=sluice \\
  -c 'model_providers.sluice={name="Sluice",base_url="${origin}/v1",env_key="SLUICE_API_KEY",wire_api="responses"}'`,
    after: '`~/.codex/config.toml` holds the same settings for good:',
    file: ({ origin, model }) => `model = "${model}"
model_provider = "sluice"

[model_providers.sluice]
name = "Sluice"
base_url = "${origin}/v1"
env_key = "SLUICE_API_KEY"
wire_api = "responses"`,
  },
  {
    name: 'Claude Code',
    path: '',
    language: 'sh',
    code: ({ origin, model }) => `export ANTHROPIC_BASE_URL=${origin}
export ANTHROPIC_AUTH_TOKEN=$SLUICE_API_KEY
export ANTHROPIC_API_KEY=
export ANTHROPIC_MODEL=${withoutPrefix(model)}
export ANTHROPIC_DEFAULT_HAIKU_MODEL=${smallModelFor(model)}
claude`,
    after:
      'The base URL has no `/v1`. `ANTHROPIC_API_KEY` would have precedence, so it is empty. Name models of Anthropic without `anthropic/`: Claude Code drops the signatures of reasoning if the response names another model than the request. The member `env` of `~/.claude/settings.json` holds the same settings for good.',
  },
  {
    name: 'Gemini CLI',
    path: '',
    before:
      'In `~/.gemini/settings.json` select the key, because the CLI refuses the sign-in that it chooses for a base URL by itself: `{"security":{"auth":{"selectedType":"gemini-api-key"}}}`. If the file exists, add the member `security`.',
    language: 'sh',
    code: ({ origin, model }) => `export GOOGLE_GEMINI_BASE_URL=${origin}
export GEMINI_API_KEY=$SLUICE_API_KEY
gemini --model ${model}`,
    after:
      'Without a terminal (`--prompt`) it needs `--skip-trust`, too, or `GEMINI_CLI_TRUST_WORKSPACE=true`, in folders that you have not trusted. Beside the model of `--model` it requests `gemini-3.5-flash-lite` and `gemini-3.1-pro-preview`, for example to compress a long conversation. If your server has no Gemini models, make the model that you use the target of `gemini-*`; then `--model` can be omitted.',
  },
  {
    name: 'opencode',
    path: '/v1',
    before: 'In `opencode.json`:',
    language: 'json',
    code: ({ origin, model }) => `{
  "provider": {
    "sluice": {
      "npm": "@ai-sdk/openai-compatible",
      "name": "Sluice",
      "options": { "baseURL": "${origin}/v1", "apiKey": "{env:SLUICE_API_KEY}" },
      "models": { "${model}": {} }
    }
  },
  "model": "sluice/${model}"
}`,
  },
  {
    name: 'Cline',
    path: '/v1',
    before: 'On the command line:',
    language: 'sh',
    code: ({ origin, model }) =>
      `cline auth --provider openai --apikey $SLUICE_API_KEY --baseurl ${origin}/v1 --modelid ${model}`,
    after:
      'In an editor choose the API provider "OpenAI Compatible" in its settings, with the base URL, the key, and the model as the model ID.',
  },
  {
    name: 'Continue',
    path: '/v1',
    before: 'In `config.yaml`:',
    language: 'yaml',
    code: ({ origin, model }) => `name: Sluice
version: 1.0.0
schema: v1
models:
  - name: Sluice
    provider: openai
    model: ${model}
    apiBase: ${origin}/v1
    apiKey: \${{ secrets.SLUICE_API_KEY }}
    roles: [chat, edit, apply]`,
  },
  {
    name: 'Aider',
    path: '/v1',
    language: 'sh',
    code: ({ origin, model }) => `export OPENAI_API_BASE=${origin}/v1
export OPENAI_API_KEY=$SLUICE_API_KEY
aider --model openai/${model}`,
    after: "The prefix `openai/` is Aider's: it names the protocol.",
  },
  {
    name: 'Zed',
    path: '/v1',
    before: 'In `settings.json`; the key is read from `SLUICE_API_KEY`, or set in the settings of the provider:',
    language: 'json',
    code: ({ origin, model }) => `{
  "language_models": {
    "openai_compatible": {
      "Sluice": {
        "api_url": "${origin}/v1",
        "available_models": [{ "name": "${model}", "max_tokens": 200000 }]
      }
    }
  }
}`,
  },
  {
    name: 'Cursor',
    path: '/v1',
    before:
      "In Settings, Models, set the OpenAI API key, and override the OpenAI base URL. Cursor's own servers send the requests, so that the server must be reachable from the internet, with `https`. Add the model by its name. Cursor decides which of its modes and versions use the address; completions while you type never do. Where it sends the format of Responses to `/v1/chat/completions`, as its agent does, Sluice converts it.",
  },
  {
    name: 'Open WebUI',
    path: '/v1',
    language: 'sh',
    code: ({ origin }) => `export OPENAI_API_BASE_URL=${origin}/v1
export OPENAI_API_KEY=$SLUICE_API_KEY
open-webui serve`,
    after:
      'Open WebUI reads the variables when it starts for the first time; later its admin settings count, under Connections. It lists the models that the key may use.',
  },
  {
    name: 'LibreChat',
    path: '/v1',
    before: 'In `librechat.yaml`:',
    language: 'yaml',
    code: ({ origin, model }) => `version: 1.3.17
endpoints:
  custom:
    - name: Sluice
      apiKey: \${SLUICE_API_KEY}
      baseURL: ${origin}/v1
      models:
        default: [${model}]
        fetch: true`,
    after:
      'LibreChat reads the key from its `.env`, and ignores a file without `version`. In a container the address of the machine is `host.docker.internal`, not `127.0.0.1`.',
  },
  {
    name: 'n8n',
    path: '/v1',
    before:
      'Create a credential "OpenAI" with the key and the base URL. Its OpenAI nodes and chat models list the models that the key may use. They work with "Use Responses API" and without.',
  },
];

/** Claude Code names models of Anthropic without the provider. */
function withoutPrefix(model: string): string {
  return model.replace(/^anthropic\//, '');
}

/** What Claude Code uses for titles and summaries. */
function smallModelFor(model: string): string {
  return model.startsWith('anthropic/') ? 'claude-haiku-4-5' : model;
}
