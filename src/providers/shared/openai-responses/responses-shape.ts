/** How a provider serves chat by OpenAI's Responses API. Absent members are as at OpenAI. */
export interface ResponsesShape {
  /** `/responses` if absent. */
  readonly path?: string;
  /** Models that it serves at /responses only: they use it by default. */
  readonly servesOnly?: (model: string) => boolean;
  /** Its own hosts: `servesOnly` and `isNative` do not apply to a server behind another base URL. All hosts if absent. */
  readonly hosts?: RegExp;
  /** Whether a request of a Responses client is forwarded as it is; false if absent. */
  readonly isNative?: boolean;
  /** Whether it stores responses; true if absent. One that does not is told not to, and the gateway stores them. */
  readonly isStoring?: boolean;
  /** Whether it counts the tokens of a request, at `/input_tokens` of the path; false if absent. */
  readonly countsTokens?: boolean;
  /** Whether it has WebSockets, at its own hosts; false if absent. */
  readonly hasWebSockets?: boolean;
  /** Whether it fetches the document of a `file_url`, at its own hosts; false if absent. */
  readonly fetchesDocuments?: boolean;
  /** Whether a model supports encrypted reasoning; all do if absent. */
  readonly encryptsReasoning?: (model: string) => boolean;
  /** The minimum of `max_output_tokens`; 1 if absent. */
  readonly minOutputTokens?: number;
}

/**
 * OpenAI itself, and Azure with the models' own names. It rejects `max_output_tokens` below 16. Source: OpenAI's API
 * document, CreateResponse.
 */
export const openAiResponses: ResponsesShape = {
  servesOnly: servedByResponsesOnly,
  isNative: true,
  countsTokens: true,
  hosts: /(^|\.)(openai\.com|openai\.azure\.com|cognitiveservices\.azure\.com|services\.ai\.azure\.com)$/,
  encryptsReasoning,
  minOutputTokens: 16,
};

const WORDS = new Set(['pro', 'codex', 'cyber', 'daybreak', 'rosalind']);

/**
 * Whether OpenAI rejects a model's chat with "only supported in v1/responses": models whose names contain one of the
 * words above (`o3-pro`, `gpt-5.5-pro-2026-04-23`, `gpt-5.1-codex-max`), deep research, and computer use. Source: the
 * types `ResponsesModel` and `ChatModel` of OpenAI's SDK 7.55, and the model pages, which state it for all `pro` and
 * `codex` models, including those in `ChatModel`.
 */
export function servedByResponsesOnly(model: string): boolean {
  const name = plainName(model);
  if (!/^(gpt|o\d|codex|computer)/.test(name)) return false;
  return /deep-research|computer-use/.test(name) || name.split('-').some((word) => WORDS.has(word));
}

/**
 * OpenAI rejects requests for encrypted reasoning of models that do not reason: the families before `o1` and `gpt-5`,
 * and the `chat` models. An unknown name, such as that of a deployment, is treated like a reasoning model.
 */
function encryptsReasoning(model: string): boolean {
  return !/^(gpt-[34]|chatgpt|computer|gpt-5(\.\d+)?-chat)/.test(plainName(model));
}

/** Without the prefix `ft:` of a fine-tuned model, and without the suffix after the base model's name. */
function plainName(model: string): string {
  const [name = ''] = model.toLowerCase().replace(/^ft:/, '').split(':');
  return name;
}
