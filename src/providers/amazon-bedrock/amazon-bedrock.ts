import { aiSdkProvider } from '../bridge/ai-sdk-provider.ts';
import { cachesPrompts, promptCachingOption } from '../shared/chat/prompt-caching.ts';
import { access, checkAccess, serviceUrl } from './access.ts';
import { cachePoints } from './cache-points.ts';
import { converse } from './converse.ts';
import { bedrockEmbeddings } from './embeddings.ts';
import { bedrockImages } from './images.ts';
import { BedrockRelay } from './relay.ts';

const id = 'amazon-bedrock';

/** Options: `region`, and without an API key `access_key_id`, `secret_access_key`, `session_token`. */
export const amazonBedrock = aiSdkProvider({
  id,
  providerAliases: ['bedrock'],
  name: 'Amazon Bedrock',
  documentation: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html',
  catalogueSources: { mediaPrices: 'bedrock' },
  baseUrl: null,
  needsKey: false,
  options: [
    { name: 'region', isSecret: false, description: 'The AWS region, such as us-east-1.' },
    {
      name: 'access_key_id',
      isSecret: true,
      description: 'The ID of an access key, instead of an API key. Needs the secret access key.',
    },
    { name: 'secret_access_key', isSecret: true, description: 'The secret of the access key.' },
    { name: 'session_token', isSecret: true, description: 'Required for temporary credentials only.' },
    {
      name: 'messages_api',
      isSecret: false,
      description:
        'How Claude models receive requests of the Messages API: invoke (InvokeModel, the default), or the endpoint /anthropic/v1/messages of bedrock-runtime (runtime) or bedrock-mantle (mantle).',
    },
    {
      name: 'anthropic_betas',
      isSecret: false,
      description:
        'Further betas that Claude models accept, with commas between them; with a minus before it, one that is not accepted.',
    },
    promptCachingOption,
  ],
  kinds: ['chat', 'embedding', 'rerank', 'image'],
  checkSettings: (settings) => {
    checkAccess(id, settings);
    cachesPrompts(id, settings);
  },
  load: async ({ settings, fetch }) => {
    const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
    const made = (service: string) =>
      createAmazonBedrock({ ...access(id, settings), baseURL: serviceUrl(service, settings), fetch });
    const [models, agents] = [made('bedrock-runtime'), made('bedrock-agent-runtime')];
    return {
      chat: (model) => models.languageModel(model),
      embedding: (model) => models.embeddingModel(model),
      image: (model) => models.imageModel(model),
      rerank: (model) => agents.rerankingModel(model),
    };
  },
  chat: (model, settings) => ({ ...converse, caching: cachePoints(model, cachesPrompts(id, settings)) }),
  relay: (settings) => new BedrockRelay(id, settings),
  embeddings: bedrockEmbeddings,
  images: bedrockImages,
  rerank: { supportedParams: [] },
});
