/** How a provider serves chat by OpenAI's Responses API. What is absent is as OpenAI has it. */
export interface ResponsesShape {
  /** `/responses` where absent. */
  readonly path?: string;
  /** Models that it serves by /responses alone: they are sent there unasked. */
  readonly servesOnly?: (model: string) => boolean;
  /** Its own hosts: behind another base URL stands another server, to which `servesOnly` does not apply. All where absent. */
  readonly hosts?: RegExp;
  /** Whether a model may be asked for its encrypted reasoning; each may where absent. */
  readonly encryptsReasoning?: (model: string) => boolean;
  /** The least `max_output_tokens` that it takes; 1 where absent. */
  readonly minOutputTokens?: number;
}

/**
 * OpenAI itself, and Azure under models' own names. `max_output_tokens` below 16 is refused by it.
 * Source: OpenAI's API document, CreateResponse.
 */
export const openAiResponses: ResponsesShape = {
  servesOnly: servedByResponsesOnly,
  hosts: /(^|\.)(openai\.com|openai\.azure\.com|cognitiveservices\.azure\.com|services\.ai\.azure\.com)$/,
  encryptsReasoning,
  minOutputTokens: 16,
};

const WORDS = new Set(['pro', 'codex', 'cyber', 'daybreak', 'rosalind']);

/**
 * Whether OpenAI answers a model's chat with "only supported in v1/responses": those whose name holds one of the words above
 * (`o3-pro`, `gpt-5.5-pro-2026-04-23`, `gpt-5.1-codex-max`), deep research, and computer use.
 * Source: the types `ResponsesModel` and `ChatModel` of OpenAI's SDK 7.55, and the models' pages, which say it of all `pro`
 * and `codex` models, those too that `ChatModel` names.
 */
export function servedByResponsesOnly(model: string): boolean {
  const name = plainName(model);
  if (!/^(gpt|o\d|codex|computer)/.test(name)) return false;
  return /deep-research|computer-use/.test(name) || name.split('-').some((word) => WORDS.has(word));
}

/**
 * OpenAI refuses to be asked for encrypted reasoning where the model does not reason: the families before `o1` and `gpt-5`, and
 * the `chat` ones. A name that is no model's, as a deployment may have, is taken for one that does.
 */
function encryptsReasoning(model: string): boolean {
  return !/^(gpt-[34]|chatgpt|computer|gpt-5(\.\d+)?-chat)/.test(plainName(model));
}

/** Without `ft:`, which a fine-tuned model's name begins with, and what follows the base model's name there. */
function plainName(model: string): string {
  const [name = ''] = model.toLowerCase().replace(/^ft:/, '').split(':');
  return name;
}
