import { SettingsError, type Connection, type ConnectionSettings, type ProviderDeclaration } from './contract.ts';
import { amazonBedrock } from './amazon-bedrock/amazon-bedrock.ts';
import { anthropic } from './anthropic/anthropic.ts';
import { assemblyAi } from './assemblyai/assemblyai.ts';
import { blackForestLabs } from './black-forest-labs/black-forest-labs.ts';
import { cartesia } from './cartesia/cartesia.ts';
import { cohere } from './cohere/cohere.ts';
import { rememberSecrets } from './connection-secrets.ts';
import { rememberTerms } from './shared/terms/connection-terms.ts';
import { dataPolicyOf } from './shared/terms/data-policy.ts';
import { deepgram } from './deepgram/deepgram.ts';
import { elevenLabs } from './elevenlabs/elevenlabs.ts';
import { fal } from './fal/fal.ts';
import { gemini } from './gemini/gemini.ts';
import { gladia } from './gladia/gladia.ts';
import { googleVertex } from './google-vertex/google-vertex.ts';
import { luma } from './luma/luma.ts';
import { mistral } from './mistral/mistral.ts';
import { openAiShaped } from './shared/openai-compatible/openai-shaped.ts';
import { sendSpeech } from './shared/openai-compatible/services/speech.ts';
import { checkProviderNames, readProviderFolder } from './provider-folder.ts';
import { perplexity } from './perplexity/perplexity.ts';
import { regionOf } from './shared/terms/region.ts';
import { replicate } from './replicate/replicate.ts';
import { stability } from './stability/stability.ts';
import { together } from './together/together.ts';
import { xai } from './xai/xai.ts';

/** These come first in lists. */
const FIRST_IDS = ['openai', 'anthropic'];

const declarations: readonly ProviderDeclaration[] = [
  amazonBedrock,
  anthropic,
  assemblyAi,
  blackForestLabs,
  cartesia,
  cohere,
  deepgram,
  elevenLabs,
  fal,
  gemini,
  gladia,
  googleVertex,
  luma,
  mistral,
  perplexity,
  replicate,
  stability,
  together,
  xai,
  ...(await readProviderFolder(new URL('openai-compatible/', import.meta.url))),
];
checkProviderNames(declarations);

/** The providers known by name: the most used first, then by id, self-hosted servers last. */
export const providers: readonly ProviderDeclaration[] = declarations.toSorted(
  (a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1),
);

function rank({ id, selfHosted }: ProviderDeclaration): number {
  if (selfHosted) return FIRST_IDS.length + 1;
  return FIRST_IDS.includes(id) ? FIRST_IDS.indexOf(id) : FIRST_IDS.length;
}

const byId = new Map(providers.map((provider) => [provider.id, provider]));

export const knownProviders: readonly string[] = [...byId.keys()];

/** Providers inside this process, and how to enable each. They are never billed and have only the listed models. */
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
 * @throws SettingsError naming what is missing or not valid
 */
export function openConnection(provider: string, settings: ConnectionSettings): Connection {
  const declared = byId.get(provider);
  if (declared) return opened(declared, settings);
  if (settings.baseUrl === undefined)
    throw new SettingsError(
      `Provider \`${provider}\` needs a base URL, because it is not one of the known providers: ${knownProviders.join(', ')}.`,
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
  try {
    const connection = declared.open(settings);
    rememberSecrets(connection, settings, declared.options ?? []);
    rememberTerms(connection, {
      region: regionOf(declared.id, settings, declared.baseUrl),
      dataPolicy: dataPolicyOf(declared.id, settings.baseUrl, settings.dataPolicy),
    });
    return connection;
  } catch (cause) {
    if (!isInvalidUrl(cause)) throw cause;
    throw new SettingsError(`The options of provider \`${declared.id}\` do not form a valid URL.`, { cause });
  }
}

function isInvalidUrl(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && error.code === 'ERR_INVALID_URL';
}
