import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import { isObject, type JsonObject } from '../../protocols/canonical/json-members.ts';
import type { GenerationRequest } from '../../protocols/canonical/generation-request.ts';
import { cacheMark } from '../../protocols/messages/encode-request/content-blocks.ts';

/** How the prompts of a model are cached that caches only marked prefixes. */
export interface PromptCaching {
  /** Whether prompts are marked whose request has no marks of its own. */
  readonly isAutomatic: boolean;
  /** Whether the declaration of a tool can end a prefix. */
  readonly marksTools: boolean;
  /** The package's options of what ends a prefix. @param control as Anthropic's `cache_control` */
  mark(control: JsonObject): SharedV4ProviderOptions;
}

interface Marked {
  readonly providerOptions?: SharedV4ProviderOptions;
}

/** The options of a message, part or tool that its client marks as the end of a prefix. */
export function ownMark(caching: PromptCaching | null | undefined, marked: readonly object[]): Marked {
  if (!caching) return {};
  for (const each of marked) {
    const { cache_control: control } = cacheMark(each);
    if (isObject(control)) return { providerOptions: caching.mark(control) };
  }
  return {};
}

/** What a call sends, with marks at the end of its instructions and of its conversation. */
export interface MarkedCall {
  readonly prompt: LanguageModelV4Prompt;
  readonly tools: LanguageModelV4FunctionTool[];
}

/** Marks a call whose request has no marks of its own, where the connection is set so. */
export function withAutomaticMarks(
  caching: PromptCaching | null | undefined,
  request: GenerationRequest,
  { prompt, tools }: MarkedCall,
): MarkedCall {
  if (!caching?.isAutomatic || hasMark(request)) return { prompt, tools };
  const providerOptions = caching.mark({ type: 'ephemeral' });
  const system = prompt.findLastIndex(({ role }) => role === 'system');
  const last = prompt.length - 1;
  // Tools precede the instructions: a mark on these covers both.
  const marksTools = system < 0 && caching.marksTools;
  return {
    prompt: prompt.map((message, index) =>
      index === system || (index === last && canEndPrefix(message)) ? { ...message, providerOptions } : message,
    ),
    tools: tools.map((tool, index) => (marksTools && index === tools.length - 1 ? { ...tool, providerOptions } : tool)),
  };
}

/** Reasoning and blank text cannot be marked. Source: platform.claude.com/docs/en/build-with-claude/prompt-caching. */
function canEndPrefix({ content }: LanguageModelV4Message): boolean {
  const last = typeof content === 'string' ? undefined : content.at(-1);
  return last !== undefined && last.type !== 'reasoning' && (last.type !== 'text' || last.text.trim() !== '');
}

function hasMark({ messages, tools }: GenerationRequest): boolean {
  return (
    (tools ?? []).some(isMarked) || messages.some((message) => isMarked(message) || partsOf(message).some(isMarked))
  );
}

function partsOf({ content }: GenerationRequest['messages'][number]): readonly object[] {
  return Array.isArray(content) ? content : [];
}

function isMarked(of: object): boolean {
  return cacheMark(of).cache_control !== undefined;
}
