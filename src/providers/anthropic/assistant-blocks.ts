import { SluiceError } from '../../errors/index.ts';
import type { AssistantMessage } from '../shared/chat-request.ts';
import { readCarriedBlocks, type CarriedBlock } from './carried-blocks.ts';
import { cacheMark, textBlock, withMark, type Block } from './content-blocks.ts';
import { isObject, type JsonObject } from './json-object.ts';
import type { FunctionCalls, ToolIds } from './tool-ids.ts';

interface Piece {
  readonly text: string;
  readonly mark: { readonly cache_control?: unknown };
}

/** What names the calls of a conversation. */
export interface CallNames {
  readonly ids: ToolIds;
  readonly functions: FunctionCalls;
}

/**
 * A model's message as blocks: its thinking, its text, its calls, each where it stood in the answer. What is signed there is
 * checked by Anthropic against all that stands before it.
 * @throws SluiceError unsupported_value
 */
export function assistantBlocks(message: AssistantMessage, param: string, names: CallNames): Block[] {
  if (message.audio)
    throw new SluiceError('unsupported_value', {
      param: `${param}.audio`,
      values: { reason: 'is not supported: Claude does not speak, and has no earlier audio of its own.' },
    });
  const blocks = interleaved(readCarriedBlocks(message.reasoning_details), pieces(message), calls(message, names));
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
    found.push(toolUse(names.functions.begin(functionCall.name), functionCall.name, inputOf(functionCall.arguments)));
  return found;
}

function toolUse(id: string, name: string, input: JsonObject): Block {
  return { type: 'tool_use', id, name, input };
}

/**
 * Anthropic wants an object. Arguments that are none are the model's own fault, cut off by a limit perhaps: a refusal would
 * leave the caller with a conversation that can never go on, so they are wrapped the way Anthropic advises.
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

function interleaved(carried: readonly CarriedBlock[], texts: readonly Piece[], toolUses: readonly Block[]): Block[] {
  const blocks: Block[] = [];
  let rest = texts;
  let [taken, called] = [0, 0];
  for (const { text, calls: before, block } of carried) {
    const [passed, left] = splitAt(rest, text - taken);
    for (const piece of passed) {
      blocks.push(...textBlock(piece.text, piece.mark));
      taken += piece.text.length;
    }
    rest = left;
    while (called < before && called < toolUses.length) blocks.push(...toolUses.slice(called, ++called));
    blocks.push(block);
  }
  for (const piece of rest) blocks.push(...textBlock(piece.text, piece.mark));
  return [...blocks, ...toolUses.slice(called)];
}

/** The first so many characters, and the rest. A piece that is cut keeps its mark at its end. */
function splitAt(texts: readonly Piece[], length: number): [readonly Piece[], readonly Piece[]] {
  let left = length;
  for (const [index, piece] of texts.entries()) {
    if (left <= 0) return [texts.slice(0, index), texts.slice(index)];
    if (left < piece.text.length) {
      const head = { text: piece.text.slice(0, left), mark: {} };
      return [
        [...texts.slice(0, index), head],
        [{ ...piece, text: piece.text.slice(left) }, ...texts.slice(index + 1)],
      ];
    }
    left -= piece.text.length;
  }
  return [texts, []];
}
