/** JSON of a protocol. */
// oxlint-disable-next-line typescript/no-explicit-any -- its members are what the test is about
export type Json = Readonly<Record<string, any>>;
export type Mutable = { -readonly [Name in keyof Json]: Json[Name] };

/** The content of a request, independent of its protocol. */
export interface RequestContent {
  readonly system?: string;
  readonly turns: readonly Turn[];
  readonly tools?: readonly Tool[];
  /** `required`, or the name of a tool. */
  readonly toolChoice?: string;
  /** A JSON schema that the response has. */
  readonly schema?: object;
  readonly thinks?: boolean;
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly stop?: string;
}

export type Turn =
  | { readonly role: 'user'; readonly parts: readonly Part[] }
  | {
      readonly role: 'assistant';
      readonly text?: string;
      readonly calls?: readonly Call[];
      readonly signature?: string;
    }
  | { readonly role: 'tool'; readonly results: readonly ToolResult[] };

export type Part =
  | { readonly type: 'text'; readonly text: string }
  /** Base64. */
  | { readonly type: 'image' | 'document'; readonly data: string }
  /** A document. */
  | { readonly type: 'link'; readonly url: string };

export interface Tool {
  readonly name: string;
  readonly schema: object;
}

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: object;
}

export interface ToolResult {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  /** Base64. */
  readonly image?: string;
}

/** The content of a response, independent of its protocol. */
export interface ResponseContent {
  readonly text?: string;
  readonly thinking?: string;
  /** Of the reasoning; a provider gives it back with the conversation. */
  readonly signature?: string;
  readonly calls?: readonly Call[];
  readonly stop: 'stop' | 'length' | 'tools' | 'refusal';
  readonly cachedTokens?: number;
}

export interface ReadResponse extends Omit<ResponseContent, 'stop'> {
  readonly stop: ResponseContent['stop'] | null;
  readonly error: string | null;
  /** What a client of the protocol sends back as the turn of the assistant. */
  readonly turn: unknown;
}

export interface WrittenRequest {
  /** After the server's address. */
  readonly path: string;
  readonly body: object;
}

/** A protocol as its clients speak it. */
export interface MatrixClient {
  readonly name: string;
  /** In the page's table. */
  readonly title: string;
  /**
   * @param turn replaces the last turn of the assistant: as the client received it
   * @returns null for content that the protocol cannot express
   */
  writeRequest(content: RequestContent, model: string, streamed: boolean, turn?: unknown): WrittenRequest | null;
  readDocument(body: Json): ReadResponse;
  readEvents(events: readonly Json[]): ReadResponse;
}

/** A protocol as its providers speak it, too. */
export interface MatrixProtocol extends MatrixClient {
  readRequest(body: Json): RequestContent;
  /** @returns null for content that the protocol cannot express */
  writeDocument(content: ResponseContent): object | null;
  /** Complete events. */
  writeEvents(content: ResponseContent): readonly string[] | null;
  /** The event of an error within a stream. */
  writeErrorEvent(message: string): string;
  /** The body of an error response. */
  writeError(status: number, message: string): object;
}

export const PROMPT_TOKENS = 2_000;
export const OUTPUT_TOKENS = 20;

export function dataEvent(data: object, type?: string): string {
  return `${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(data)}\n\n`;
}
