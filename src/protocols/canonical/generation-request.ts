/**
 * OpenAI's chat request as a provider reads it: validated by the gateway before, and never written to. A null member is
 * equivalent to an absent one. Members not named here are provider-specific ones of the client. Source: OpenAI's API
 * document, CreateChatCompletionRequest.
 */
export interface GenerationRequest {
  readonly messages: readonly ChatMessage[];
  readonly max_completion_tokens?: number | null | undefined;
  readonly max_tokens?: number | null | undefined;
  readonly temperature?: number | null | undefined;
  readonly top_p?: number | null | undefined;
  readonly presence_penalty?: number | null | undefined;
  readonly frequency_penalty?: number | null | undefined;
  readonly n?: number | null | undefined;
  readonly stop?: string | readonly string[] | null | undefined;
  readonly seed?: number | null | undefined;
  readonly logprobs?: boolean | null | undefined;
  readonly top_logprobs?: number | null | undefined;
  readonly tools?: readonly ToolDeclaration[] | null | undefined;
  readonly tool_choice?: ToolChoice | null | undefined;
  readonly parallel_tool_calls?: boolean | null | undefined;
  readonly response_format?: ResponseFormat | null | undefined;
  readonly reasoning_effort?: ReasoningEffort | null | undefined;
  readonly verbosity?: 'low' | 'medium' | 'high' | null | undefined;
  readonly modalities?: readonly ('text' | 'audio')[] | null | undefined;
  readonly service_tier?: string | null | undefined;
  readonly store?: boolean | null | undefined;
  readonly metadata?: Readonly<Record<string, string>> | null | undefined;
  readonly safety_identifier?: string | null | undefined;
  readonly user?: string | null | undefined;
  readonly prompt_cache_key?: string | null | undefined;
  readonly stream_options?: Readonly<Record<string, unknown>> | null | undefined;
  /** The deprecated form of `tools`. */
  readonly functions?: readonly FunctionDeclaration[] | null | undefined;
  /** The deprecated form of `tool_choice`. */
  readonly function_call?: 'none' | 'auto' | { readonly name: string } | null | undefined;
  readonly [member: string]: unknown;
}

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

export type ChatMessage =
  | InstructionsMessage
  | UserMessage
  | AssistantMessage
  | ToolMessage
  | { readonly role: 'function'; readonly content: string | null; readonly name: string };

export interface InstructionsMessage {
  readonly role: 'developer' | 'system';
  readonly content: string | readonly TextPart[];
}

export interface UserMessage {
  readonly role: 'user';
  readonly content: string | readonly UserPart[];
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content?: string | readonly (TextPart | RefusalPart)[] | null | undefined;
  readonly refusal?: string | null | undefined;
  readonly tool_calls?: readonly ToolCall[] | null | undefined;
  readonly function_call?: { readonly name: string; readonly arguments: string } | null | undefined;
  /** As Sluice sent it: see `reasoning-details.ts`. Not validated. */
  readonly reasoning_details?: unknown;
  readonly [member: string]: unknown;
}

export interface ToolMessage {
  readonly role: 'tool';
  readonly content: string | readonly TextPart[];
  readonly tool_call_id: string;
}

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  readonly [member: string]: unknown;
}

export interface RefusalPart {
  readonly type: 'refusal';
  readonly refusal: string;
}

export type UserPart =
  | TextPart
  | {
      readonly type: 'image_url';
      readonly image_url: { readonly url: string; readonly detail?: string | null | undefined };
      readonly [member: string]: unknown;
    }
  | {
      readonly type: 'input_audio';
      readonly input_audio: { readonly data: string; readonly format: 'wav' | 'mp3' };
      readonly [member: string]: unknown;
    }
  | {
      readonly type: 'file';
      readonly file: {
        /** A data: URL, base64, or a web URL. Source of the last: openrouter.ai/docs/features/multimodal/pdfs. */
        readonly file_data?: string | null | undefined;
        readonly filename?: string | null | undefined;
        readonly file_id?: string | null | undefined;
      };
      readonly [member: string]: unknown;
    };

export type ToolCall =
  | {
      readonly id: string;
      readonly type: 'function';
      readonly function: { readonly name: string; readonly arguments: string };
    }
  | {
      readonly id: string;
      readonly type: 'custom';
      readonly custom: { readonly name: string; readonly input: string };
    };

export interface FunctionDeclaration {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly parameters?: Readonly<Record<string, unknown>> | null | undefined;
  readonly strict?: boolean | null | undefined;
}

export type ToolDeclaration =
  | { readonly type: 'function'; readonly function: FunctionDeclaration }
  | {
      readonly type: 'custom';
      readonly custom: { readonly name: string; readonly description?: string | null | undefined };
    };

export type ToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | { readonly type: 'function'; readonly function: { readonly name: string } }
  | { readonly type: 'custom'; readonly custom: { readonly name: string } }
  | {
      readonly type: 'allowed_tools';
      readonly allowed_tools: {
        readonly mode: 'auto' | 'required';
        readonly tools: readonly Readonly<Record<string, unknown>>[];
      };
    };

export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly json_schema: {
        readonly name: string;
        readonly description?: string | null | undefined;
        readonly schema?: Readonly<Record<string, unknown>> | null | undefined;
        readonly strict?: boolean | null | undefined;
      };
    };
