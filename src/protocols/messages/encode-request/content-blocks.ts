import { isObject, type JsonObject } from '../../canonical/json-members.ts';

/** A content block of a request. Source: platform.claude.com/docs/en/api/messages. */
export type Block = JsonObject;

/**
 * Where the cached prefix of a prompt may end: `cache_control` as Anthropic has it, else OpenAI's `prompt_cache_breakpoint`.
 * Anthropic keeps a prefix five minutes or one hour; who asks for longer than five minutes gets the hour.
 * Source: platform.claude.com/docs/en/build-with-claude/prompt-caching.
 */
export function cacheMark(of: object): { readonly cache_control?: unknown } {
  const own = 'cache_control' in of ? of.cache_control : null;
  if (isObject(own)) return { cache_control: own };
  const breakpoint = 'prompt_cache_breakpoint' in of ? of.prompt_cache_breakpoint : null;
  if (!isObject(breakpoint)) return {};
  return { cache_control: { type: 'ephemeral', ...(breakpoint.ttl ? { ttl: '1h' } : {}) } };
}

/** Anthropic refuses blank text: such blocks are left out. */
export function textBlock(text: string, mark: { readonly cache_control?: unknown } = {}): Block[] {
  return text.trim() === '' ? [] : [{ type: 'text', text, ...mark }];
}

/** A mark on a whole message stands for one on its end. */
export function withMark(blocks: readonly Block[], message: object): Block[] {
  const mark = cacheMark(message);
  const last = blocks.at(-1);
  if (last === undefined || last.cache_control !== undefined || mark.cache_control === undefined) return [...blocks];
  return [...blocks.slice(0, -1), { ...last, ...mark }];
}
