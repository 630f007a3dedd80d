import { isObject, listOf, membersOf, textIn, type JsonObject } from '../../../../protocols/canonical/json-members.ts';
import { readModelName } from '../../../../protocols/canonical/validation/common-members.ts';
import { decodeChatRequest } from '../../../../protocols/chat-completions/decode-request.ts';
import { flatTools } from '../../../../protocols/responses/decode-request/flat-tools.ts';
import type { CalledTool } from '../../../../protocols/responses/encode-stream/call-item.ts';
import { chatMembers } from '../members.ts';
import { decodeResponsesRequest } from '../../../../protocols/responses/decode-request.ts';
import { generationRequest, outputForm } from '../../../../protocols/responses/decode-request/generation-request.ts';
import { ResponsesDecoder } from '../../../../protocols/responses/decode-stream.ts';
import { ResponseChatEncoder, type ChatFormOptions } from './chat-encoder.ts';
import type { ContentSeal } from '../../../../protocols/responses/encrypted-content/content-seal.ts';
import { hostedToolsOf } from '../../../../protocols/responses/hosted-tools.ts';
import { namedObjects } from '../../../../protocols/responses/provider-objects.ts';
import { tryParse } from '../../../json-text.ts';
import type { RequestInput } from '../../../request-input.ts';
import type { ClientProtocol, DecodedText } from '../../text/client-protocol.ts';
import { responsesMembers, unknownResponse } from '../../responses/parse.ts';
import { hasMember } from '../../../../providers/shared/http/request-body.ts';
import { hasString } from '../../../../providers/shared/json/strings/long-strings.ts';

/** Without one of them a body needs no conversion: it is not parsed. */
const INPUT = '"input"';
const CUSTOM = '"custom"';

/** The format of a request whose response is a chat completion: other than its response, or of tools of another format. */
type ForeignForm = 'responses' | 'tools';

/**
 * How a body of `POST /v1/chat/completions` differs from a chat; null where it does not. Cursor sends the format of
 * Responses, and chats with custom tools in the format of Responses.
 */
export function foreignForm(input: RequestInput): ForeignForm | null {
  if (!Buffer.isBuffer(input)) return null;
  // The tools of many agents have an `input`: their chats are not parsed twice.
  if (!hasString(input, CUSTOM) && (!hasString(input, INPUT) || hasMember(input, 'messages'))) return null;
  const value = tryParse(input.toString());
  if (!isObject(value)) return null;
  if (value.messages === undefined) return value.input === undefined ? null : 'responses';
  return customNames(value).size > 0 ? 'tools' : null;
}

/** A request in such a format. @param seal of the account */
export function chatForm(form: ForeignForm, seal: ContentSeal): ClientProtocol<ChatFormOptions> {
  return {
    name: 'responses',
    signsInPlace: false,
    members: form === 'responses' ? responsesMembers : chatMembers,
    modelName: readModelName,
    isStreaming: (value) => isObject(value) && value.stream === true,
    decode: (value) => (form === 'responses' ? decodeResponse(value, seal) : decodeChat(value)),
    encoder: ({ settings }) => new ResponseChatEncoder(settings),
    // Nothing is relayed: no provider responds to it with a chat completion.
    relayFailure: (error) => new ResponseChatEncoder({ tools: new Map(), wantsUsage: false }).fail(error),
    observer: null,
    decoder: (writer) => new ResponsesDecoder(writer),
  };
}

function decodeResponse(value: unknown, seal: ContentSeal): DecodedText<ChatFormOptions> {
  const request = decodeResponsesRequest(withCustomCalls(value));
  const { body, dropped, names: memberNames } = generationRequest(request, { parse: tryParse, seal });
  const { tools } = outputForm(request, seal);
  return {
    chat: decodeChatRequest(body),
    dropped,
    memberNames,
    refusal: unknownResponse(request),
    providerObjects: namedObjects(value),
    hostedTools: hostedToolsOf(value),
    settings: { tools, wantsUsage: wantsUsage(value) },
  };
}

/** With the calls of custom tools, which the client received as those of functions, as what they were. */
function withCustomCalls(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value.input)) return value;
  const custom = customNames(value);
  const input = value.input.map((item: unknown) => {
    if (!isObject(item) || item.type !== 'function_call' || !custom.has(textIn(item, 'name'))) return item;
    const { arguments: text, ...call } = item;
    return { ...call, type: 'custom_tool_call', input: text };
  });
  return { ...value, input };
}

/** A chat whose custom tools have the format of Responses: they become functions, as do their calls. */
function decodeChat(value: unknown): DecodedText<ChatFormOptions> {
  const body = membersOf(value);
  const custom = customNames(body);
  const declared = new Map<string, CalledTool>();
  const tools = listOf(body.tools).map((tool) => {
    if (!isFlatCustom(tool)) return tool;
    const flat = flatTools({ tools: [tool], input: [] });
    for (const [name, called] of flat.declared) declared.set(name, called);
    return flat.functions[0];
  });
  const messages = listOf(body.messages).map((message) => {
    if (!isObject(message) || !Array.isArray(message.tool_calls)) return message;
    return { ...message, tool_calls: message.tool_calls.map((call: unknown) => withJsonInput(call, custom)) };
  });
  const chat = decodeChatRequest({ ...body, messages, tools });
  const settings = { tools: declared, wantsUsage: wantsUsage(value) };
  // Only chats in their own form are kept.
  const dropped = body.store === true ? ['store'] : [];
  return { chat, dropped, refusal: null, providerObjects: [], settings };
}

function withJsonInput(call: unknown, custom: ReadonlySet<string>): unknown {
  const called = membersOf(membersOf(call).function);
  if (!isObject(call) || !custom.has(textIn(called, 'name'))) return call;
  return { ...call, function: { ...called, arguments: JSON.stringify({ input: called.arguments }) } };
}

function wantsUsage(value: unknown): boolean {
  return membersOf(membersOf(value).stream_options).include_usage === true;
}

/** The names of custom tools in the format of Responses. */
function customNames({ tools }: JsonObject): ReadonlySet<string> {
  return new Set(listOf(tools).flatMap((tool) => (isFlatCustom(tool) ? [tool.name] : [])));
}

function isFlatCustom(tool: unknown): tool is { readonly type: 'custom'; readonly name: string } {
  return isObject(tool) && tool.type === 'custom' && tool.custom === undefined && typeof tool.name === 'string';
}
