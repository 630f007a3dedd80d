import type { JsonObject } from '../../canonical/json-members.ts';
import { isObject, objectsOf } from '../../canonical/json-members.ts';
import type { Block } from './content-blocks.ts';

const mark = { cache_control: { type: 'ephemeral' } };
/** Blocks that cannot carry a mark. Source: platform.claude.com/docs/en/build-with-claude/prompt-caching. */
const unmarkable: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);

/**
 * Marks the end of the instructions and the end of the conversation as prefixes to cache. A body that has a mark of its own, which
 * its client placed, is unchanged.
 */
export function withAutomaticCaching<Body extends JsonObject>(body: Body): Body {
  if (hasMark(body)) return body;
  const { system, tools, messages } = body;
  return {
    ...body,
    // Tools precede the instructions: a mark on these covers both.
    ...(Array.isArray(system) ? { system: withLastMarked(objectsOf(system)) } : {}),
    ...(!Array.isArray(system) && Array.isArray(tools) ? { tools: withLastMarked(objectsOf(tools)) } : {}),
    ...(Array.isArray(messages) ? { messages: withLastMessageMarked(objectsOf(messages)) } : {}),
  };
}

function withLastMessageMarked(messages: readonly JsonObject[]): JsonObject[] {
  const last = messages.at(-1);
  if (last === undefined || !Array.isArray(last.content)) return [...messages];
  return [...messages.slice(0, -1), { ...last, content: withLastMarked(objectsOf(last.content)) }];
}

function withLastMarked(blocks: readonly Block[]): Block[] {
  const last = blocks.at(-1);
  if (last === undefined || unmarkable.has(last.type)) return [...blocks];
  return [...blocks.slice(0, -1), { ...last, ...mark }];
}

function hasMark({ cache_control: own, system, tools, messages }: JsonObject): boolean {
  const blocks = objectsOf(messages).flatMap(({ content }) => objectsOf(content));
  return isObject(own) || [...objectsOf(system), ...objectsOf(tools), ...blocks].some(isMarked);
}

function isMarked(block: JsonObject): boolean {
  return isObject(block.cache_control);
}
