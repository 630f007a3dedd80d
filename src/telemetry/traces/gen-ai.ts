import type { TracedRequest } from '../../gateway/telemetry/request-span.ts';

/** The version of the semantic conventions whose attributes spans and metrics have. */
const CONVENTIONS_VERSION = '1.41.0';
export const SCHEMA_URL = `https://opentelemetry.io/schemas/${CONVENTIONS_VERSION}`;

/** `gen_ai.provider.name` of providers that the conventions name otherwise. */
const providerNames: Readonly<Record<string, string>> = {
  'amazon-bedrock': 'aws.bedrock',
  'azure-openai': 'azure.ai.openai',
  gemini: 'gcp.gemini',
  'google-vertex': 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  watsonx: 'ibm.watsonx.ai',
  xai: 'x_ai',
};

/** `gen_ai.operation.name` of capabilities that the conventions name otherwise. */
const operationNames: Readonly<Record<string, string>> = {
  images: 'image_generation',
  video: 'video_generation',
};

export function providerName(provider: string): string {
  return providerNames[provider] ?? provider;
}

export function operationName({ capability, protocol }: Pick<TracedRequest, 'capability' | 'protocol'>): string {
  if (protocol === 'completions') return 'text_completion';
  if (protocol === 'gemini') return 'generate_content';
  return operationNames[capability] ?? capability;
}
