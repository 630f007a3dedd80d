import type { ChatRequest } from './chat-request.ts';
import { declaredTokens, readConversation, type Conversation } from './conversation.ts';
import { SluiceError } from '../../../errors/index.ts';
import { asSchema, type JsonSchema } from '../json-schema/schema-reading.ts';
import { textFromPattern } from '../json-schema/text-from-pattern.ts';
import { valueFromSchema } from '../json-schema/value-from-schema.ts';
import { newWorkBudget, type WorkBudget } from '../json-schema/work-budget.ts';
import { prose, quoted } from '../text/prose.ts';
import { SeededRandom } from '../text/seeded-random.ts';
import { splitTokens } from '../text/tokens.ts';
import { selectTools, type SelectedTool } from './tool-selection.ts';

/** The sandbox's context window, in tokens: prompt and response together. */
export const CONTEXT_WINDOW = 131_072;
/** The maximum length of one choice including its reasoning, in tokens; several choices share it. */
export const MAX_OUTPUT_TOKENS = 8_192;
/** The minimum share of a choice, so that each of 128 choices has more than one word. */
const MIN_TOKENS = 64;
/** Reasoning tokens by effort. None by default, so that a small max_tokens leaves room for text. */
const REASONING_TOKENS: Readonly<Record<string, number>> = {
  low: 32,
  medium: 128,
  high: 512,
  xhigh: 1_024,
  max: 2_048,
};
export interface ToolCall {
  readonly kind: SelectedTool['kind'];
  readonly id: string;
  readonly name: string;
  /** Arguments (JSON), or a custom tool's input, as tokens. */
  readonly tokens: readonly string[];
}

export interface Choice {
  /** The text as tokens; `null` where tools are called instead. */
  readonly text: readonly string[] | null;
  readonly calls: readonly ToolCall[];
  readonly finishReason: 'stop' | 'length' | 'tool_calls' | 'function_call';
  /** The stop sequence that ended it; absent where none did. */
  readonly stopSequence?: string;
}

/** The complete response to one request, before it is encoded. */
export interface ChatAnswer {
  readonly choices: readonly Choice[];
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly digest: string;
}

/**
 * A pure function of the request: the same messages, tools and seed give the same response, streamed or not.
 * @throws SluiceError invalid_value | unsupported_value | context_length_exceeded
 */
export function answerChat(request: ChatRequest): ChatAnswer {
  const conversation = readConversation(request);
  const schema = request.response_format?.json_schema?.schema ?? null;
  // It is not billed, but its length bounds the work for the response.
  const tokens = conversation.promptTokens + (schema === null ? 0 : declaredTokens(schema));
  if (tokens > CONTEXT_WINDOW) {
    throw new SluiceError('context_length_exceeded', {
      param: conversation.promptTokens > CONTEXT_WINDOW ? 'messages' : 'response_format',
      values: { limit: CONTEXT_WINDOW, tokens },
    });
  }
  const tools = selectTools(request, conversation);
  const count = request.n ?? 1;
  const requested = request.max_completion_tokens ?? request.max_tokens ?? Infinity;
  const reasoning = Math.min(REASONING_TOKENS[request.reasoning_effort ?? ''] ?? 0, requested);
  const natural = Math.max(MIN_TOKENS, Math.floor(MAX_OUTPUT_TOKENS / count) - reasoning);
  const limit = { requested: requested - reasoning, natural };
  const work = newWorkBudget();
  const choices = Array.from({ length: count }, (_, index) => {
    const random = new SeededRandom(`${conversation.digest}\n${request.seed ?? ''}\n${index}`);
    return tools.length > 0
      ? callTools(tools, { conversation, random, limit, work })
      : writeText(request, { conversation, random, limit, work });
  });
  return {
    choices,
    promptTokens: conversation.promptTokens,
    outputTokens: choices.reduce((sum, choice) => sum + choiceTokens(choice), reasoning * count),
    reasoningTokens: reasoning * count,
    digest: conversation.digest,
  };
}

/** The input for one choice. */
interface Source {
  readonly conversation: Conversation;
  readonly random: SeededRandom;
  /** Tokens: as `requested` by the client, and the default length. */
  readonly limit: { readonly requested: number; readonly natural: number };
  /** Shared by all choices. */
  readonly work: WorkBudget;
}

interface Written {
  readonly text: string;
  /** False where a schema requires more than was generated. */
  readonly complete: boolean;
}

function writeText(request: ChatRequest, source: Source): Choice {
  const { conversation, random, limit } = source;
  const structured = structuredText(request, source);
  const whole = structured?.text ?? prose(conversation, random, limit.natural);
  const stop = firstStop(whole, request.stop ?? []);
  const cut = stop === null ? whole : whole.slice(0, stop.at);
  const tokens = splitTokens(cut);
  const maxTokens = Math.min(limit.requested, structured ? limit.natural : Infinity);
  const isPrefix = structured?.complete === false && cut === whole;
  if (tokens.length <= maxTokens && !isPrefix)
    return { text: tokens, calls: [], finishReason: 'stop', ...(stop && { stopSequence: stop.sequence }) };
  return { text: tokens.slice(0, maxTokens), calls: [], finishReason: 'length' };
}

function structuredText(request: ChatRequest, source: Source): Written | null {
  const format = request.response_format;
  if (format?.type !== 'json_object' && format?.type !== 'json_schema') return null;
  const schema = format.json_schema?.schema;
  if (format.type === 'json_schema' && schema !== undefined && schema !== null) {
    return jsonText(asSchema(schema), source);
  }
  const { conversation } = source;
  const [result] = conversation.toolResults;
  const text = JSON.stringify({
    notice: 'This is the sandbox, not an AI model.',
    question: quoted(conversation.question),
    ...(result && { tool_result: quoted(result.text) }),
    topics: conversation.topics,
  });
  return { text, complete: true };
}

function jsonText(schema: JsonSchema, { conversation, random, work }: Source): Written {
  const { value, complete } = valueFromSchema(schema, random, conversation, work);
  return { text: JSON.stringify(value), complete };
}

function callTools(tools: readonly SelectedTool[], source: Source): Choice {
  const { random, limit } = source;
  let left = Math.min(limit.requested, limit.natural);
  let complete = true;
  const calls: ToolCall[] = [];
  for (const tool of tools) {
    const input = inputFor(tool, source);
    const tokens = splitTokens(input.text);
    complete &&= input.complete && tokens.length <= left;
    calls.push({
      kind: tool.kind,
      id: `call_${random.identifier(24)}`,
      name: tool.name,
      tokens: tokens.slice(0, left),
    });
    left -= Math.min(left, tokens.length);
    if (!complete) break;
  }
  const whole = tools[0]?.kind === 'legacyFunction' ? 'function_call' : 'tool_calls';
  return { text: null, calls, finishReason: complete ? whole : 'length' };
}

function inputFor(tool: SelectedTool, source: Source): Written {
  if (tool.kind !== 'custom') return jsonText(tool.parameters, source);
  const { conversation, random, work } = source;
  const written = tool.grammar === null ? null : textFromPattern(tool.grammar, random, work);
  return { text: written ?? conversation.question, complete: true };
}

/** The first stop sequence in a text, which may begin in one token and end in another; of two at one place the shorter. */
function firstStop(
  text: string,
  stop: string | readonly string[],
): { readonly sequence: string; readonly at: number } | null {
  const stops = (typeof stop === 'string' ? [stop] : stop).filter(
    (sequence) => sequence !== '' && sequence.isWellFormed(),
  );
  const found = stops.map((sequence) => ({ sequence, at: text.indexOf(sequence) })).filter(({ at }) => at >= 0);
  const end = ({ sequence, at }: { readonly sequence: string; readonly at: number }): number => at + sequence.length;
  return found.toSorted((one, other) => one.at - other.at || end(one) - end(other))[0] ?? null;
}

/** Tokens of one choice, without its reasoning. */
export function choiceTokens(choice: Choice): number {
  return choice.calls.reduce((sum, call) => sum + call.tokens.length, choice.text?.length ?? 0);
}
