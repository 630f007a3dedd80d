/** The properties of a model from which its capabilities are derived. */
export interface ModelTraits {
  readonly provider: string;
  readonly model: string;
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly tools: boolean;
  readonly jsonSchema: boolean;
  readonly reasoning: boolean;
}

/**
 * Some models that are not chat models can only be recognized by name: their modalities are text, like those of chat
 * models.
 */
const byName: readonly (readonly [pattern: RegExp, capability: string])[] = [
  [/realtime/i, 'realtime'],
  [/embed|^voyage-/i, 'embeddings'],
  [/rerank|semantic-ranker/i, 'rerank'],
  [/moderation/i, 'moderation'],
  [/whisper|transcri|^nova-\d|^scribe/i, 'transcription'],
  [/(^|[-/])tts\b|^aura-|^sonic/i, 'speech'],
  [/^(sora|veo|ray)-/i, 'video'],
  [/^(dall-e|gpt-image|imagen|imagegeneration)/i, 'images'],
];

/** These generate images through their own endpoint, and never in a chat. */
const providersWithImageEndpoint = new Set(['openai', 'azure-openai']);

/** `chat`, `embeddings` ..., followed by the features that it supports. */
export function capabilitiesOf(traits: ModelTraits): string[] {
  const { provider, model, input, output } = traits;
  const named = byName.find(([pattern]) => pattern.test(model))?.[1];
  if (named !== undefined) return [named];
  if (output.includes('video')) return ['video'];
  if (
    output.includes('image') &&
    (!output.includes('text') || (providersWithImageEndpoint.has(provider) && model.includes('image')))
  )
    return ['images'];
  if (output.length === 1 && output[0] === 'audio') return ['speech'];
  if (input.length === 1 && input[0] === 'audio') return ['transcription'];
  const found = ['chat'];
  if (output.includes('image') && model.includes('image')) found.push('images');
  if (traits.tools) found.push('tools');
  if (traits.jsonSchema) found.push('json_schema');
  if (traits.reasoning) found.push('reasoning');
  if (input.includes('image')) found.push('vision');
  return found;
}
