import { isObject, type JsonObject } from '../../canonical/json-members.ts';

/** A content block of a request. Source: platform.claude.com/docs/en/api/messages. */
export type Block = JsonObject;

/**
 * Marks the end of a cached prefix: Anthropic's own `cache_control`, else OpenAI's `prompt_cache_breakpoint`. Anthropic
 * caches for five minutes or one hour; a longer time than five minutes becomes one hour.
 * Source: platform.claude.com/docs/en/build-with-claude/prompt-caching.
 */
export function cacheMark(of: object): { readonly cache_control?: unknown } {
  const own = 'cache_control' in of ? of.cache_control : null;
  if (isObject(own)) return { cache_control: own };
  const breakpoint = 'prompt_cache_breakpoint' in of ? of.prompt_cache_breakpoint : null;
  if (!isObject(breakpoint)) return {};
  return { cache_control: { type: 'ephemeral', ...(breakpoint.ttl ? { ttl: '1h' } : {}) } };
}

/** No block for blank text, which Anthropic rejects. */
export function textBlock(text: string, mark: { readonly cache_control?: unknown } = {}): Block[] {
  return text.trim() === '' ? [] : [{ type: 'text', text, ...mark }];
}

/** A cache mark on a message applies to its last block. */
export function withMark(blocks: readonly Block[], message: object): Block[] {
  const mark = cacheMark(message);
  const last = blocks.at(-1);
  if (last === undefined || last.cache_control !== undefined || mark.cache_control === undefined) return [...blocks];
  return [...blocks.slice(0, -1), { ...last, ...mark }];
}
