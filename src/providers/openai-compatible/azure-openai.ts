import { azureBatches } from '../shared/batches/azure-batches.ts';
import { isCompletionModel } from '../shared/openai-compatible/completions-relay.ts';
import type { ConnectionSettings } from '../contract.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';
import { openAiResponses } from '../shared/openai-responses/responses-shape.ts';

/** A dated version selects the older API, whose paths contain the deployment. */
const isDated = ({ options }: ConnectionSettings): boolean => /^\d{4}-\d{2}-\d{2}/.test(options.api_version ?? '');

function pathOf(endpoint: string, model: string, settings: ConnectionSettings): string {
  return isDated(settings) ? `/deployments/${model}${endpoint}` : endpoint;
}

export const azureOpenAi = openAiShaped({
  id: 'azure-openai',
  providerAliases: ['azure'],
  name: 'Azure OpenAI',
  documentation: 'https://learn.microsoft.com/en-us/azure/foundry/openai/api-version-lifecycle',
  catalogueSources: { modelsDev: ['azure'], mediaPrices: 'azure-openai' },
  baseUrl: null,
  baseUrlOption: 'resource',
  options: [
    { name: 'resource', isSecret: false, description: 'The name of the Azure resource, instead of a base URL.' },
    { name: 'api_version', isSecret: false, description: 'A date, such as 2024-10-21, selects the older API.' },
  ],
  resolveBaseUrl: (settings) =>
    settings.options.resource &&
    `https://${settings.options.resource}.openai.azure.com/openai${isDated(settings) ? '' : '/v1'}`,
  authorization: (key) => ['api-key', key],
  chatPath: (model, settings) => pathOf('/chat/completions', model, settings),
  query: ({ options }) => (options.api_version ? `?api-version=${encodeURIComponent(options.api_version)}` : ''),
  completions: isCompletionModel,
  responses: openAiResponses,
  batches: (settings) => azureBatches(isDated(settings)),
  services: ['embeddings', 'speech', 'transcription', 'images', 'video'],
  servicePath: pathOf,
  // The first event of a stream reports the content filter's results and has no choice. Clients read the first choice of every event.
  dialect: {
    marks: /"prompt_filter_results"/,
    answer: (answer, streamed) =>
      streamed && Array.isArray(answer.choices) && answer.choices.length === 0 && !answer.usage ? null : answer,
  },
});
