import { sendEmbeddings } from './openai-compatible/embeddings.ts';
import { openAiShaped } from './openai-compatible/openai-shaped.ts';
import { sendRerank } from './openai-compatible/rerank.ts';
import { sendTranscription } from './openai-compatible/transcription.ts';

export const together = openAiShaped({
  id: 'together',
  alsoKnownAs: ['togetherai', 'together_ai'],
  name: 'Together AI',
  documentation: 'https://docs.together.ai/docs/inference/openai-compatibility',
  baseUrl: 'https://api.together.ai/v1',
  ownServices: (place) => ({
    embeddings: sendEmbeddings(place, { takesTokens: false, encodes: false, takesUser: false, dimensions: null }),
    rerank: sendRerank(place),
    transcription: sendTranscription(place, { formats: ['json', 'verbose_json'] }),
  }),
});
