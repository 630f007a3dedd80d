/** By how much an input is too long; null where the provider does not report it. */
export interface ContextOverflow {
  readonly tokens: number | null;
  readonly maximum: number | null;
}

/** Only the start of a message is searched: a server may be anyone's, and its message of any length. */
const MAX_MESSAGE_LENGTH = 2_000;

/** `tokens`: of the prompt. `output`: to generate, where the prompt alone would fit. `maximum`: of the model. */
const count = (name: 'tokens' | 'output' | 'maximum'): string => `(?<${name}>\\d[\\d,]*)`;
const tokens = count('tokens');
const output = count('output');
const maximum = count('maximum');

/** The wordings that have numbers, each with the servers that use it. */
const counted: readonly RegExp[] = [
  // Anthropic.
  `prompt is too long: ${tokens} tokens > ${maximum}`,
  `exceed context limit: ${tokens} \\+ ${output} > ${maximum}`,
  // Gemini, Vertex AI.
  `input token count \\(?${tokens}\\)? exceeds the maximum number of tokens allowed \\(?${maximum}`,
  `input token count is ${tokens} but (?:the )?model only supports up to ${maximum}`,
  // vLLM, where the prompt leaves too little room for the output.
  `is too large: ${output}\\. This model's maximum context length is ${maximum} tokens and your request has ${tokens} input tokens`,
  `maximum context length is ${maximum} tokens\\. However, you requested ${output} output tokens and your prompt contains (?:at least )?${tokens} (?:input )?tokens`,
  // OpenAI, Azure, vLLM, DeepSeek, Groq, DeepInfra; OpenRouter says "This endpoint's". Moonshot, SGLang.
  `maximum context length is ${maximum} tokens\\D+?${tokens} (?:\\w+ )?tokens`,
  `exceed the configured limit of ${maximum} tokens\\D+?${tokens} tokens`,
  `maximum context length of ${maximum} tokens\\. You requested a total of ${tokens} tokens`,
  `exceeded model token limit: ${maximum} \\(requested: ${tokens}`,
  // vLLM.
  `passed ${tokens} input (?:tokens|characters) and requested ${output} output tokens\\. However, the model's context length is only ${maximum} tokens`,
  `prompt \\((?:total )?length ${tokens}\\) is (?:too long to fit into the model|longer than the maximum model length of) (?:\\(context length )?${maximum}`,
  // llama.cpp.
  `request \\(${tokens} tokens\\) exceeds the available context size \\(${maximum} tokens`,
  // Mistral.
  `prompt contains ${tokens} tokens.*too large for model with ${maximum} maximum context length`,
  // xAI.
  `maximum prompt length is ${maximum} but the request contains ${tokens} tokens`,
  // Together, SGLang; Together and Hugging Face for servers of text-generation-inference.
  `input \\(${tokens} tokens\\) is longer than the model's context length \\(${maximum} tokens`,
  `must be <= ${maximum}\\. Given: ${tokens} \`inputs\` tokens and ${output} \`max_new_tokens\``,
  // Fireworks.
  `prompt is too long: ${tokens}, model maximum context length: ${maximum}`,
  // Cerebras.
  `current length is ${tokens} while limit is ${maximum}`,
  // Ollama.
  `input length \\(${tokens}(?: tokens)?\\) exceeds (?:the )?model's maximum context length \\(${maximum}`,
  // Cohere.
  `too many tokens: total number of tokens in the prompt cannot exceed ${maximum} - received ${tokens}`,
  // Titan on Bedrock.
  `too many input tokens\\. Max input tokens: ${maximum}, request input token count: ${tokens}`,
  // GitHub Models' Copilot, Poolside on OpenRouter.
  `prompt token count of ${tokens} exceeds the limit of ${maximum}`,
  `input length ${tokens} exceeds the maximum allowed input length of ${maximum} tokens`,
].map((wording) => new RegExp(wording, 'is'));

/** The wordings without numbers, or with the maximum alone. */
const uncounted = new RegExp(
  [
    // Anthropic, Fireworks.
    'prompt is too long',
    'exceed context limit',
    // OpenAI, for Responses; Azure. Others use OpenAI's code in their message.
    "exceeds? the (?:model's )?context window",
    'context_length_exceeded',
    'maximum context length (?:is|of) \\d',
    'context length (?:is only|exceeded)',
    "exceeds? (?:the |this )?(?:model's )?(?:maximum |max )?context length",
    'exceed the configured limit of \\d[\\d,]* tokens',
    // Groq, Cerebras, DeepSeek.
    'reduce the length of the (?:messages|prompt|input)',
    // Bedrock: Anthropic's models, Nova, Titan.
    'input is too long',
    'number of input tokens exceeds maximum length',
    'too many input tokens',
    // Gemini, Vertex AI.
    'input token count.*(?:exceeds the maximum|only supports up to)',
    // llama.cpp, LM Studio, Ollama.
    'exceeds? the available context size',
    'context size has been exceeded',
    'greater than the context length',
    'loaded with context length of only',
    'prompt too long; exceeded',
    // vLLM, SGLang, Together.
    "longer than the (?:model's context length|maximum model length)",
    'too long to fit into the model',
    '`inputs` (?:tokens \\+ `max_new_tokens` )?must (?:be <=|have less than)',
    // Mistral, xAI, MiniMax, Moonshot, Cohere, Z.ai (two languages), Alibaba, GitHub Models.
    'too large for model with \\d',
    'maximum prompt length is \\d',
    'context window exceeds limit',
    'exceeded model token limit',
    'too many tokens: (?:total|size)',
    'prompt exceeds max length',
    'prompt 超长',
    'range of input length should be',
    'request body too large for .* max size: \\d+ tokens',
  ].join('|'),
  'is',
);

/** Types and codes that say so by themselves: OpenAI's; llama.cpp's; GitHub Models'. */
const names: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  'tokens_limit_reached',
  'model_max_prompt_tokens_exceeded',
]);

/** Limits of a time, which providers word alike: a shorter input is not what they ask for. */
const ofRate = /rate limit|too many requests|throttl|tokens per (?:min|day|sec)/i;

/**
 * Whether a provider's error means that the input is too long for its model. Few providers have a code for it.
 * @param names the error's type and code, if it has them
 */
export function isContextOverflow(message: string, ...reported: readonly (string | null | undefined)[]): boolean {
  if (reported.some((name) => typeof name === 'string' && names.has(name))) return true;
  const text = message.slice(0, MAX_MESSAGE_LENGTH);
  return !ofRate.test(text) && (uncounted.test(text) || counted.some((wording) => wording.test(text)));
}

/** The numbers in a provider's message about an input that is too long for its model. */
export function contextOverflow(message: string): ContextOverflow {
  const text = message.slice(0, MAX_MESSAGE_LENGTH);
  for (const wording of counted) {
    const groups = wording.exec(text)?.groups;
    if (groups === undefined) continue;
    const input = numberOf(groups.tokens) + numberOf(groups.output);
    const most = numberOf(groups.maximum);
    // Numbers that do not explain the error would contradict it.
    return input > most ? { tokens: input, maximum: most } : nothing;
  }
  return nothing;
}

const nothing: ContextOverflow = { tokens: null, maximum: null };

function numberOf(digits: string | undefined): number {
  return digits === undefined ? 0 : Number(digits.replaceAll(',', ''));
}

/** The same message in OpenAI's words, which clients of chat and Responses look for; unchanged if it has no numbers. */
export function overflowMessage(message: string): string {
  if (/maximum context length is \d/.test(message)) return message;
  const { tokens: input, maximum: most } = contextOverflow(message);
  if (input === null || most === null) return message;
  return `This model's maximum context length is ${most} tokens. However, your messages resulted in ${input} tokens. Please reduce the length of the messages.`;
}
