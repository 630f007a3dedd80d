/**
 * Providers whose models are imported, under our ids, with what the sources call them. Others are left out: they could not
 * be called.
 */
export const importedProviders: readonly ImportedProvider[] = [
  { id: 'alibaba' },
  { id: 'amazon-bedrock', mediaPrices: 'bedrock' },
  { id: 'anthropic', mediaPrices: 'anthropic' },
  { id: 'assemblyai' },
  { id: 'azure-openai', modelsDev: ['azure'], mediaPrices: 'azure-openai' },
  { id: 'black-forest-labs' },
  { id: 'cartesia' },
  { id: 'cerebras', mediaPrices: 'cerebras' },
  { id: 'cohere', mediaPrices: 'cohere' },
  { id: 'deepgram', mediaPrices: 'deepgram' },
  { id: 'deepinfra', mediaPrices: 'deepinfra' },
  { id: 'deepseek', mediaPrices: 'deepseek' },
  { id: 'elevenlabs' },
  { id: 'fal', mediaPrices: 'fal-ai' },
  { id: 'fireworks', modelsDev: ['fireworks-ai'], mediaPrices: 'fireworks-ai' },
  { id: 'gemini', modelsDev: ['google'], mediaPrices: 'google' },
  { id: 'github-models' },
  { id: 'google-vertex', mediaPrices: 'vertex-ai' },
  { id: 'groq', mediaPrices: 'groq' },
  { id: 'huggingface' },
  { id: 'jina', mediaPrices: 'jina' },
  { id: 'luma' },
  { id: 'minimax' },
  { id: 'mistral', mediaPrices: 'mistral-ai' },
  { id: 'moonshot', modelsDev: ['moonshotai'] },
  { id: 'nebius' },
  { id: 'nvidia' },
  { id: 'openai', mediaPrices: 'openai' },
  { id: 'openrouter' },
  { id: 'perplexity', mediaPrices: 'perplexity-ai' },
  { id: 'replicate' },
  { id: 'sambanova' },
  { id: 'stability', mediaPrices: 'stability-ai' },
  { id: 'together', modelsDev: ['togetherai'], mediaPrices: 'together-ai', mediaInDollars: true },
  { id: 'voyage' },
  { id: 'xai', mediaPrices: 'x-ai' },
  { id: 'zai', modelsDev: ['zai', 'z-ai'] },
];

export interface ImportedProvider {
  readonly id: string;
  /** Ids in models.dev: the first that is there counts. Ours where absent. */
  readonly modelsDev?: readonly string[];
  /** The file of the media prices. */
  readonly mediaPrices?: string;
  /** Its image prices stand there in USD, all else in US cents: FLUX.1 [schnell] is 0.0027 a megapixel. */
  readonly mediaInDollars?: boolean;
}
