import type { ConnectionSettings } from './contract.ts';
import type { Dialect } from './openai-compatible/dialect.ts';
import { openAiShaped } from './openai-compatible/openai-shaped.ts';
import { openAiResponses } from './openai-responses/responses-shape.ts';

/** The first event of a stream tells what the prompt was checked for, and holds no choice: clients read the first of them. */
const answers: Dialect = {
  marks: /"prompt_filter_results"/,
  answer: (answer, streamed) =>
    streamed && Array.isArray(answer.choices) && answer.choices.length === 0 && !answer.usage ? null : answer,
};

/** A dated version is of the older API, where the deployment stands in the path. */
function isDated({ options }: ConnectionSettings): boolean {
  return /^\d{4}-\d{2}-\d{2}/.test(options.api_version ?? '');
}

/** Options: `resource`, the name of the Azure resource, or a base URL in its place; `api_version`, for the older API. */
export const azureOpenAi = openAiShaped({
  id: 'azure-openai',
  alsoKnownAs: ['azure'],
  name: 'Azure OpenAI',
  documentation: 'https://learn.microsoft.com/en-us/azure/foundry/openai/api-version-lifecycle',
  baseUrl: null,
  baseUrlOption: 'resource',
  ownBaseUrl: (settings) =>
    settings.options.resource &&
    `https://${settings.options.resource}.openai.azure.com/openai${isDated(settings) ? '' : '/v1'}`,
  authorization: (key) => ['api-key', key],
  chatPath: (model, settings) =>
    isDated(settings) ? `/deployments/${encodeURIComponent(model)}/chat/completions` : '/chat/completions',
  query: ({ options }) => (options.api_version ? `?api-version=${encodeURIComponent(options.api_version)}` : ''),
  responses: openAiResponses,
  services: ['embeddings', 'speech', 'transcription', 'images', 'video'],
  servicePath: (endpoint, model, settings) =>
    isDated(settings) ? `/deployments/${encodeURIComponent(model)}${endpoint}` : endpoint,
  dialect: answers,
});
