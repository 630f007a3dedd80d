import { SettingsError, type Connection, type ConnectionSettings, type ProviderDeclaration } from './contract.ts';
import { alibaba } from './alibaba.ts';
import { amazonBedrock } from './amazon-bedrock.ts';
import { anthropic } from './anthropic/anthropic.ts';
import { assemblyAi } from './assemblyai.ts';
import { azureOpenAi } from './azure-openai.ts';
import { blackForestLabs } from './black-forest-labs.ts';
import { cartesia } from './cartesia.ts';
import { cerebras } from './cerebras.ts';
import { cohere } from './cohere.ts';
import { rememberSecrets } from './connection-secrets.ts';
import { deepgram } from './deepgram.ts';
import { deepinfra } from './deepinfra.ts';
import { deepseek } from './deepseek.ts';
import { elevenLabs } from './elevenlabs.ts';
import { fal } from './fal.ts';
import { fireworks } from './fireworks.ts';
import { gemini } from './gemini/gemini.ts';
import { gladia } from './gladia/gladia.ts';
import { githubModels } from './github-models.ts';
import { googleVertex } from './google-vertex.ts';
import { groq } from './groq.ts';
import { huggingface } from './huggingface.ts';
import { jina } from './jina.ts';
import { llamaCpp } from './llama-cpp.ts';
import { lmStudio } from './lm-studio.ts';
import { localai } from './localai.ts';
import { luma } from './luma.ts';
import { minimax } from './minimax.ts';
import { mistral } from './mistral.ts';
import { moonshot } from './moonshot.ts';
import { nebius } from './nebius.ts';
import { nvidia } from './nvidia.ts';
import { ollama } from './ollama.ts';
import { openAiShaped } from './openai-compatible/openai-shaped.ts';
import { sendSpeech } from './openai-compatible/speech.ts';
import { openai } from './openai.ts';
import { openrouter } from './openrouter.ts';
import { perplexity } from './perplexity.ts';
import { replicate } from './replicate.ts';
import { sambanova } from './sambanova.ts';
import { stability } from './stability/stability.ts';
import { together } from './together.ts';
import { vllm } from './vllm.ts';
import { voyage } from './voyage.ts';
import { xai } from './xai.ts';
import { zai } from './zai.ts';

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
