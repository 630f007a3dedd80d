import { SettingsError, type Connection, type ConnectionSettings, type ProviderDeclaration } from './contract.ts';
import { alibaba } from './openai-compatible/alibaba.ts';
import { amazonBedrock } from './amazon-bedrock/amazon-bedrock.ts';
import { anthropic } from './anthropic/anthropic.ts';
import { assemblyAi } from './assemblyai/assemblyai.ts';
import { azureOpenAi } from './openai-compatible/azure-openai.ts';
import { blackForestLabs } from './black-forest-labs/black-forest-labs.ts';
import { cartesia } from './cartesia/cartesia.ts';
import { cerebras } from './openai-compatible/cerebras.ts';
import { cohere } from './cohere/cohere.ts';
import { rememberSecrets } from './connection-secrets.ts';
import { deepgram } from './deepgram/deepgram.ts';
import { deepinfra } from './openai-compatible/deepinfra.ts';
import { deepseek } from './openai-compatible/deepseek.ts';
import { elevenLabs } from './elevenlabs/elevenlabs.ts';
import { fal } from './fal/fal.ts';
import { fireworks } from './openai-compatible/fireworks.ts';
import { gemini } from './gemini/gemini.ts';
import { gladia } from './gladia/gladia.ts';
import { githubModels } from './openai-compatible/github-models.ts';
import { googleVertex } from './google-vertex/google-vertex.ts';
import { groq } from './openai-compatible/groq.ts';
import { huggingface } from './openai-compatible/huggingface.ts';
import { jina } from './openai-compatible/jina.ts';
import { llamaCpp } from './openai-compatible/llama-cpp.ts';
import { lmStudio } from './openai-compatible/lm-studio.ts';
import { localai } from './openai-compatible/localai.ts';
import { luma } from './luma/luma.ts';
import { minimax } from './openai-compatible/minimax.ts';
import { mistral } from './mistral/mistral.ts';
import { moonshot } from './openai-compatible/moonshot.ts';
import { nebius } from './openai-compatible/nebius.ts';
import { nvidia } from './openai-compatible/nvidia.ts';
import { ollama } from './openai-compatible/ollama.ts';
import { openAiShaped } from './shared/openai-compatible/openai-shaped.ts';
import { sendSpeech } from './shared/openai-compatible/speech.ts';
import { openai } from './openai-compatible/openai.ts';
import { openrouter } from './openai-compatible/openrouter.ts';
import { perplexity } from './perplexity/perplexity.ts';
import { replicate } from './replicate/replicate.ts';
import { sambanova } from './openai-compatible/sambanova.ts';
import { stability } from './stability/stability.ts';
import { together } from './together/together.ts';
import { vllm } from './openai-compatible/vllm.ts';
import { voyage } from './openai-compatible/voyage.ts';
import { xai } from './xai/xai.ts';
import { zai } from './openai-compatible/zai.ts';

/** Providers that are known by name. */
export const providers: readonly ProviderDeclaration[] = [
  openai,
  anthropic,
  alibaba,
  amazonBedrock,
  assemblyAi,
  azureOpenAi,
  blackForestLabs,
  cartesia,
  cerebras,
  cohere,
  deepgram,
  deepinfra,
  deepseek,
  elevenLabs,
  fal,
  fireworks,
  gemini,
  githubModels,
  gladia,
  googleVertex,
  groq,
  huggingface,
  jina,
  luma,
  minimax,
  mistral,
  moonshot,
  nebius,
  nvidia,
  openrouter,
  perplexity,
  replicate,
  sambanova,
  stability,
  together,
  voyage,
  xai,
  zai,
  ollama,
  vllm,
  lmStudio,
  llamaCpp,
  localai,
];

const byId = new Map(providers.map((provider) => [provider.id, provider]));

export const knownProviders: readonly string[] = [...byId.keys()];

/** Providers within this process, and how to enable each. They are never billed, and have no models but the listed ones. */
export const builtInProviders: ReadonlyMap<string, { readonly setupHint: string }> = new Map([
  ['sandbox', { setupHint: 'set SLUICE_SANDBOX=on' }],
]);

/** Other prefixes of a provider's models: `google` for `gemini`. */
export const providerAliases: ReadonlyMap<string, string> = new Map(
  providers.flatMap(({ id, providerAliases = [] }) => providerAliases.map((other) => [other, id] as const)),
);

/** Optional prefixes of a provider's model names, by provider id. */
export const modelPrefixes: ReadonlyMap<string, readonly string[]> = new Map(
  providers.flatMap(({ id, modelPrefixes: prefixes }) => (prefixes ? [[id, prefixes] as const] : [])),
);

/**
 * Opens a connection. An unregistered id is a server with an OpenAI-compatible API at the configured base URL.
 * @throws SettingsError naming what is missing
 */
export function openConnection(provider: string, settings: ConnectionSettings): Connection {
  const declared = byId.get(provider);
  if (declared) return opened(declared, settings);
  if (settings.baseUrl === undefined)
    throw new SettingsError(
      `provider ${provider} needs a base URL: it is none that is known by name (${knownProviders.join(', ')})`,
    );
  const unknown = openAiShaped({
    id: provider,
    name: provider,
    documentation: 'unverified',
    baseUrl: null,
    needsKey: false,
    services: ['embeddings', 'rerank', 'transcription', 'images'],
    customServices: (client) => ({ speech: sendSpeech(client, {}) }),
  });
  return opened(unknown, settings);
}

function opened(declared: ProviderDeclaration, settings: ConnectionSettings): Connection {
  const connection = declared.open(settings);
  rememberSecrets(connection, settings, declared.options ?? []);
  return connection;
}
