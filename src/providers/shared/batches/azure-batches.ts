import type { OpenAiBatchShape } from './openai-batches.ts';

/**
 * The Batch API of Azure OpenAI, for deployments of the type Global Batch. Sources:
 * learn.microsoft.com/en-us/azure/foundry/openai/how-to/batch, and for the newer API
 * learn.microsoft.com/en-us/azure/foundry/reference/rest/batches-create-batch.
 * @param isDated whether the older API is used, which is selected by a date
 */
export function azureBatches(isDated: boolean): OpenAiBatchShape {
  const version = isDated ? '' : '/v1';
  const paths = ['/chat/completions', '/embeddings', ...(isDated ? [] : ['/responses'])];
  return { endpoints: Object.fromEntries(paths.map((path) => [path, version + path])), processesFiles: true };
}
