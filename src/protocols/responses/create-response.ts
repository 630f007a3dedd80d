/**
 * A request of the Responses API, validated. `input` is a list of typed items. A member that is null means the same as one
 * that is absent. Members not named here are the client's own, for providers that know them. Source: OpenAI's API document,
 * CreateResponse.
 */
export interface CreateResponse {
  readonly model: string;
  readonly input: readonly InputItem[];
  readonly instructions?: string | null | undefined;
  readonly previous_response_id?: string | null | undefined;
  readonly stream?: boolean | null | undefined;
  readonly store?: boolean | null | undefined;
  readonly background?: boolean | null | undefined;
  readonly max_output_tokens?: number | null | undefined;
  readonly temperature?: number | null | undefined;
  readonly top_p?: number | null | undefined;
  readonly top_logprobs?: number | null | undefined;
  readonly tools?: readonly Tool[] | null | undefined;
  readonly tool_choice?: ToolChoice | null | undefined;
  readonly parallel_tool_calls?: boolean | null | undefined;
  readonly max_tool_calls?: number | null | undefined;
  readonly text?: TextOptions | null | undefined;
  readonly reasoning?: ReasoningOptions | null | undefined;
  readonly include?: readonly string[] | null | undefined;
  readonly truncation?: 'auto' | 'disabled' | null | undefined;
  readonly metadata?: Readonly<Record<string, string>> | null | undefined;
  readonly service_tier?: string | null | undefined;
  readonly safety_identifier?: string | null | undefined;
  readonly user?: string | null | undefined;
  readonly [member: string]: unknown;
}

export type Tool =
  | {
      readonly type: 'function';
      readonly parameters?: Readonly<Record<string, unknown>> | null | undefined;
      readonly strict?: boolean | null | undefined;
      readonly [member: string]: unknown;
    }
  | { readonly type: 'custom'; readonly format?: object | null | undefined; readonly [member: string]: unknown }
  | {
      readonly type: 'web_search' | 'web_search_preview';
      readonly user_location?: object | null | undefined;
      readonly [member: string]: unknown;
    };

export type ToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | { readonly type: 'function' | 'custom'; readonly name: string; readonly [member: string]: unknown }
  | {
      readonly type: 'allowed_tools';
      readonly mode: 'auto' | 'required';
      readonly tools: readonly Readonly<Record<string, unknown>>[];
      readonly [member: string]: unknown;
    };

export interface TextOptions {
  readonly format?: TextFormat | null | undefined;
  readonly verbosity?: 'low' | 'medium' | 'high' | null | undefined;
  readonly [member: string]: unknown;
}

export interface TextFormat {
  readonly type: 'text' | 'json_object' | 'json_schema';
  readonly [member: string]: unknown;
}

export interface ReasoningOptions {
  readonly effort?: string | null | undefined;
  readonly summary?: string | null | undefined;
  readonly [member: string]: unknown;
}

/** One item of a conversation. */
export type InputItem =
  | MessageItem
  | ReasoningItem
  | { readonly type: 'function_call'; readonly call_id: string; readonly name: string; readonly arguments: string }
  | { readonly type: 'custom_tool_call'; readonly call_id: string; readonly name: string; readonly input: string }
  | {
      readonly type: 'function_call_output' | 'custom_tool_call_output';
      readonly call_id: string;
      readonly output: CallOutput;
    }
  | { readonly type: 'item_reference'; readonly id: string }
  | { readonly type: 'image_generation_call' };

export interface MessageItem {
  readonly type: 'message';
  readonly role: 'user' | 'assistant' | 'system' | 'developer';
  readonly content: string | readonly ContentPart[];
}

export interface ReasoningItem {
  readonly type: 'reasoning';
  readonly id?: unknown;
  readonly encrypted_content?: string | null | undefined;
}

export type CallOutput = string | readonly (InputText | InputImage | InputFile)[];

export type ContentPart =
  | InputText
  | InputImage
  | InputFile
  | { readonly type: 'input_audio'; readonly input_audio: { readonly data: string; readonly format: 'wav' | 'mp3' } }
  | { readonly type: 'output_text'; readonly text: string }
  | { readonly type: 'refusal'; readonly refusal: string };

export interface InputText {
  readonly type: 'input_text';
  readonly text: string;
}

export interface InputImage {
  readonly type: 'input_image';
  readonly image_url?: string | null | undefined;
  readonly detail?: 'auto' | 'low' | 'high' | 'original' | null | undefined;
}

export interface InputFile {
  readonly type: 'input_file';
  readonly file_data?: string | null | undefined;
  readonly file_id?: string | null | undefined;
  readonly filename?: string | null | undefined;
  readonly file_url?: string | null | undefined;
}
