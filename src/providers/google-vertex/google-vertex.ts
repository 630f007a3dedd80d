import { aiSdkProvider } from '../bridge/ai-sdk-provider.ts';
import { cachesPrompts, promptCachingOption } from '../shared/chat/prompt-caching.ts';
import { claude, gemini, isClaude } from './chat-dialects.ts';
import { vertexEmbeddings } from './embeddings.ts';
import { vertexImages } from './images.ts';
import { VertexRelay } from './relay.ts';
import { checkAccount, endpoint, serviceAccount } from './service-account.ts';

const id = 'google-vertex';

/** Options: `project`, `location`, `client_email`, `private_key`; or an API key, for express mode, which has Google's models only. */
export const googleVertex = aiSdkProvider({
  id,
  providerAliases: ['vertex'],
  name: 'Google Vertex AI',
  documentation: 'https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference',
  catalogueSources: { mediaPrices: 'vertex-ai' },
  baseUrl: null,
  needsKey: false,
  options: [
    { name: 'project', isSecret: false, description: 'The ID of the Google Cloud project.' },
    { name: 'location', isSecret: false, description: 'A region such as europe-west4, or global.' },
    { name: 'client_email', isSecret: false, description: 'The address of a service account, instead of an API key.' },
    { name: 'private_key', isSecret: true, description: 'The private key of the service account, in PEM format.' },
    {
      name: 'anthropic_betas',
      isSecret: false,
      description:
        'Further betas that Claude models accept, with commas between them; with a minus before it, one that is not accepted.',
    },
    promptCachingOption,
  ],
  kinds: ['chat', 'embedding', 'image', 'speech', 'transcription', 'video'],
  checkSettings: (settings) => {
    checkAccount(id, settings);
    cachesPrompts(id, settings);
  },
  load: async ({ settings, apiKey, fetch }) => {
    const { createGoogleVertex } = await import('@ai-sdk/google-vertex');
    const { createGoogleVertexAnthropic } = await import('@ai-sdk/google-vertex/anthropic');
    const { project = '', location = '' } = settings.options;
    const account = settings.apiKey === undefined && { googleAuthOptions: serviceAccount(id, settings, fetch) };
    const common = { project, location, fetch, ...account };
    const google = createGoogleVertex({ ...common, apiKey, baseURL: endpoint(settings, 'google') });
    const baseURL = endpoint(settings, 'anthropic/models');
    const anthropic = createGoogleVertexAnthropic({ ...common, baseURL });
    return {
      chat: (model) => (isClaude(model) ? anthropic : google).languageModel(model),
      embedding: (model) => google.embeddingModel(model),
      image: (model) => google.imageModel(model),
      speech: (model) => google.speechModel(model),
      transcription: (model) => google.transcriptionModel(model),
      video: (model) => google.videoModel(model),
    };
  },
  chat(model, settings) {
    if (!isClaude(model)) return gemini;
    return settings.apiKey === undefined ? claude(cachesPrompts(id, settings)) : null;
  },
  relay: (settings, fetch) => new VertexRelay(id, settings, fetch),
  embeddings: vertexEmbeddings,
  images: vertexImages,
});
