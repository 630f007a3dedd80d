import { SluiceError } from '../../../errors/index.ts';
import type { ChatMessage, ToolMessage, UserMessage } from '../../canonical/generation-request.ts';
import { assistantBlocks, type CallNames } from './assistant-blocks.ts';
import { cacheMark, textBlock, withMark, type Block } from './content-blocks.ts';
import { userBlocks } from './media-blocks.ts';
import { FunctionCalls, ToolIds } from './tool-ids.ts';

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: Block[];
}

export interface Conversation {
  readonly system: readonly Block[];
  readonly messages: readonly Turn[];
}

/**
 * Encodes messages. Instructions are moved to `system`; consecutive messages of one role are merged. Anthropic has no
 * names of participants: they are omitted.
 * Source: platform.claude.com/docs/en/api/messages.
 * @throws SluiceError invalid_value | unsupported_value
 */
export function conversationOf(messages: readonly ChatMessage[]): Conversation {
  const system: Block[] = [];
  const turns: Turn[] = [];
  const names: CallNames = { ids: new ToolIds(), functions: new FunctionCalls() };
  for (const [index, message] of messages.entries()) {
    const param = `messages[${index}]`;
    if (message.role === 'system' || message.role === 'developer')
      for (const block of withMark(plainBlocks(message.content), message)) system.push(block);
    else if (message.role === 'assistant') add(turns, 'assistant', assistantBlocks(message, param, names));
    else if (message.role === 'user') add(turns, 'user', withMark(userMessageBlocks(message, param), message));
    else if (message.role === 'tool') add(turns, 'user', [toolResult(message, names)]);
    else if (message.role === 'function') add(turns, 'user', [functionResult(message, param, names)]);
  }
  if (turns.length > 0) return { system, messages: normalizedTurns(turns) };
  // Anthropic requires a message.
  if (system.length > 0) return { system: [], messages: [{ role: 'user', content: system }] };
  throw new SluiceError('invalid_value', { param: 'messages', values: { reason: 'no message has content.' } });
}

function add(turns: Turn[], role: Turn['role'], blocks: readonly Block[]): void {
  if (blocks.length === 0) return;
  const last = turns.at(-1);
  if (last?.role === role) for (const block of blocks) last.content.push(block);
  else turns.push({ role, content: [...blocks] });
}

function userMessageBlocks({ content }: UserMessage, param: string): Block[] {
  if (typeof content === 'string') return textBlock(content);
  return content.flatMap((part, index) => userBlocks(part, `${param}.content[${index}]`));
}

function plainBlocks(content: ToolMessage['content']): Block[] {
  return typeof content === 'string'
    ? textBlock(content)
    : content.flatMap((part) => textBlock(part.text, cacheMark(part)));
}

/** A cache mark within a result is moved to the result, which caches the same prefix. */
function toolResult(message: ToolMessage, { ids }: CallNames): Block {
  const result = { type: 'tool_result', tool_use_id: ids.of(message.tool_call_id) };
  const { content } = message;
  if (typeof content === 'string') return { ...result, ...(content !== '' && { content }), ...cacheMark(message) };
  const blocks = content.flatMap((part) => textBlock(part.text));
  const marks = content.map((part) => cacheMark(part)).filter(({ cache_control: mark }) => mark !== undefined);
  return { ...result, ...(blocks.length > 0 && { content: blocks }), ...marks.at(-1), ...cacheMark(message) };
}

function functionResult(
  { name, content }: Extract<ChatMessage, { readonly role: 'function' }>,
  param: string,
  { functions }: CallNames,
): Block {
  const id = functions.answered(name);
  if (id === undefined)
    throw new SluiceError('invalid_value', {
      param: `${param}.name`,
      values: { reason: 'no message before it calls a function by this name.' },
    });
  return { type: 'tool_result', tool_use_id: id, ...(content && { content }) };
}

/** Moves tool results before other user content and trims the end of a prefilled answer, as Anthropic requires. */
function normalizedTurns(turns: readonly Turn[]): readonly Turn[] {
  const ordered = turns.map((turn) => (turn.role === 'user' ? { ...turn, content: resultsFirst(turn.content) } : turn));
  const last = ordered.at(-1);
  const block = last?.content.at(-1);
  if (last?.role !== 'assistant' || typeof block?.text !== 'string') return ordered;
  const content = [...last.content.slice(0, -1), { ...block, text: block.text.trimEnd() }];
  return [...ordered.slice(0, -1), { ...last, content }];
}

function resultsFirst(content: readonly Block[]): Block[] {
  const isResult = ({ type }: Block): boolean => type === 'tool_result';
  return [...content.filter(isResult), ...content.filter((block) => !isResult(block))];
}

/** Whether earlier thinking of the model is sent. */
export function hasThinking({ messages }: Conversation): boolean {
  return messages.some(({ content }) => content.some(isThinking));
}

/** Whether earlier messages are replaced by a summary. */
export function hasCompaction({ messages }: Conversation): boolean {
  return messages.some(({ content }) => content.some(({ type }) => type === 'compaction'));
}

/** Whether any part refers to a file uploaded to Anthropic. */
export function hasUploads({ messages }: Conversation): boolean {
  return messages.some(({ content }) =>
    content.some(({ source }) => typeof source === 'object' && source !== null && 'file_id' in source),
  );
}

/**
 * Whether the last results belong to a turn that began without thinking. Models with a thinking budget then reject
 * thinking: it cannot change within a turn, which lasts from a user's message to the end of its tool calls.
 * Source: platform.claude.com/docs/en/build-with-claude/thinking, "Thinking with tool use".
 */
export function callsWithoutThinking({ messages }: Conversation): boolean {
  let begin = messages.length;
  while (begin >= 2 && isResults(messages[begin - 1])) begin -= 2;
  const first = messages[begin];
  return first !== undefined && !(first.content[0] !== undefined && isThinking(first.content[0]));
}

function isResults(turn: Turn | undefined): boolean {
  return turn?.role === 'user' && turn.content[0]?.type === 'tool_result';
}

function isThinking({ type }: Block): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}
