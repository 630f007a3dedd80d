import { SluiceError } from '../../../errors/index.ts';
import type { AssistantMessage } from '../../canonical/generation-request.ts';
import { readPreservedBlocks, type PreservedBlock } from '../preserved-blocks.ts';
import { cacheMark, textBlock, withMark, type Block } from './content-blocks.ts';
import { isObject, type JsonObject } from '../../canonical/json-members.ts';
import type { FunctionCalls, ToolIds } from './tool-ids.ts';

interface Piece {
  readonly text: string;
  readonly mark: { readonly cache_control?: unknown };
}

/** The ids of the tool calls of a conversation. */
export interface CallNames {
  readonly ids: ToolIds;
  readonly functions: FunctionCalls;
}

/**
 * Encodes a model's message: thinking, text and tool calls in the order of the response. Anthropic verifies signatures
 * against everything before them.
 * @throws SluiceError unsupported_value
 */
export function assistantBlocks(message: AssistantMessage, param: string, names: CallNames): Block[] {
  if (message.audio)
    throw new SluiceError('unsupported_value', {
      param: `${param}.audio`,
      values: { reason: 'is not supported: Claude produces no audio that a message could refer to.' },
    });
  const blocks = interleaved(readPreservedBlocks(message.reasoning_details), pieces(message), calls(message, names));
  const last = blocks.at(-1)?.type;
  return last === 'text' || last === 'tool_use' ? withMark(blocks, message) : blocks;
}

function pieces({ content, refusal }: AssistantMessage): Piece[] {
  const found: Piece[] = [];
  if (typeof content === 'string') found.push({ text: content, mark: {} });
  else
    for (const part of content ?? [])
      found.push({ text: part.type === 'text' ? part.text : part.refusal, mark: cacheMark(part) });
  if (refusal) found.push({ text: refusal, mark: {} });
  return found;
}

function calls({ tool_calls: toolCalls, function_call: functionCall }: AssistantMessage, names: CallNames): Block[] {
  const found: Block[] = [];
  for (const call of toolCalls ?? []) {
    const id = names.ids.of(call.id);
    if (call.type === 'custom') found.push(toolUse(id, call.custom.name, { input: call.custom.input }));
    else found.push(toolUse(id, call.function.name, inputOf(call.function.arguments)));
  }
  if (functionCall)
    found.push(toolUse(names.functions.open(functionCall.name), functionCall.name, inputOf(functionCall.arguments)));
  return found;
}

function toolUse(id: string, name: string, input: JsonObject): Block {
  return { type: 'tool_use', id, name, input };
}

/**
 * Anthropic requires an object. Invalid arguments are an error of the model, such as output cut off by a limit. Rejecting
 * them would end the conversation for good, so they are wrapped as Anthropic recommends.
 * Source: platform.claude.com/docs/en/agents-and-tools/tool-use/fine-grained-tool-streaming, "Handling invalid JSON".
 */
function inputOf(json: string): JsonObject {
  if (json.trim() === '') return {};
  try {
    const input: unknown = JSON.parse(json);
    if (isObject(input)) return input;
  } catch {
    // Wrapped below.
  }
  return { INVALID_JSON: json };
}

function interleaved(
  preserved: readonly PreservedBlock[],
  texts: readonly Piece[],
  toolUses: readonly Block[],
): Block[] {
  const blocks: Block[] = [];
  const cursor = new TextCursor(texts, blocks);
  let called = 0;
  const call = (before: number): void => {
    for (; called < before && called < toolUses.length; called++) {
      const use = toolUses[called];
      if (use) blocks.push(use);
    }
  };
  for (const { text, calls: before, block } of preserved) {
    cursor.upTo(text);
    call(before);
    blocks.push(block);
  }
  cursor.upTo(Infinity);
  call(Infinity);
  return blocks;
}

/** Splits texts into blocks at given positions. The cache mark of a split text stays on its last block. */
class TextCursor {
  readonly #texts: readonly Piece[];
  readonly #blocks: Block[];
  #at = 0;
  #offset = 0;
  #position = 0;

  constructor(texts: readonly Piece[], blocks: Block[]) {
    this.#texts = texts;
    this.#blocks = blocks;
  }

  upTo(length: number): void {
    for (let piece = this.#texts[this.#at]; piece && this.#position < length; piece = this.#texts[this.#at]) {
      const remaining = piece.text.length - this.#offset;
      const count = Math.min(remaining, length - this.#position);
      const end = this.#offset + count;
      for (const block of textBlock(piece.text.slice(this.#offset, end), count < remaining ? {} : piece.mark))
        this.#blocks.push(block);
      this.#position += count;
      this.#offset = count < remaining ? end : 0;
      if (count === remaining) this.#at++;
    }
  }
}
