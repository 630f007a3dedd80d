import { sendEmbeddings } from '../shared/openai-compatible/services/embeddings.ts';
import { sendImages } from '../shared/openai-compatible/services/images.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';
import { sendRerank, type RerankShape } from '../shared/openai-compatible/services/rerank.ts';
import { sendSpeech, type SpeechShape } from '../shared/openai-compatible/services/speech.ts';
import { sendTranscription } from '../shared/openai-compatible/services/transcription.ts';
import { readTokenCount } from '../shared/embeddings/embeddings-document.ts';

/** One query per document, and one score per document in the response. Source: deepinfra.com/Qwen/Qwen3-Reranker-0.6B/api. */
const scores: RerankShape = {
  path: (path, model) => path.replace(/\/openai\/rerank$/, `/inference/${model}`),
  body: ({ query }, documents) => ({ queries: documents.map(() => query), documents }),
  outcome: ({ scores, input_tokens: tokens, request_id: id }) => ({
    id: typeof id === 'string' ? id : null,
    results: (Array.isArray(scores) ? scores : [null]).map((score: unknown, index) => ({ index, score })),
    tokens: readTokenCount(tokens),
    searchUnits: null,
  }),
};

/** Source: docs.deepinfra.com/api-reference/openai-audio-speech. */
const speech: SpeechShape = {
  unsupportedParams: ['instructions'],
  formats: Object.fromEntries(['mp3', 'opus', 'flac', 'wav', 'pcm'].map((name) => [name, { response_format: name }])),
  defaultFormat: 'mp3',
};

export const deepinfra = openAiShaped({
  id: 'deepinfra',
  name: 'DeepInfra',
  documentation: 'https://deepinfra.com/docs/advanced/openai_api',
  catalogueSources: { mediaPrices: 'deepinfra' },
  baseUrl: 'https://api.deepinfra.com/v1/openai',
  completions: true,
  customServices: (client) => ({
    images: sendImages(client, { streams: false, requestsBase64: true }),
    embeddings: sendEmbeddings(client, { maxInputs: 1_024, supportsTokens: false, encodes: false }),
    rerank: sendRerank(client, scores),
    speech: sendSpeech(client, speech),
    transcription: sendTranscription(client, { formats: ['json', 'text', 'srt', 'vtt', 'verbose_json'] }),
  }),
});
