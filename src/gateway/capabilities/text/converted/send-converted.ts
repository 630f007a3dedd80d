import type { ChatRequest } from '../../../../protocols/chat-completions/decode-request/schema.ts';
import type { ChatReceiver, Connection } from '../../../../providers/contract.ts';
import type { ProviderCall } from '../../capability.ts';
import { chat } from '../../chat/chat.ts';
import { clientPaths } from '../../../../protocols/canonical/request/member-names.ts';
import { estimateTokens } from '../../../request-input.ts';
import { ChatDocumentReceiver, HeldBytes } from './chat-document-receiver.ts';
import { JoinedChats } from './joined-chats.ts';
import type { TextRequest } from '../text-request.ts';

/**
 * Sends a request as a chat, or as several whose responses are joined.
 * @returns the names of the dropped parameters
 * @throws SluiceError of status 400 for unsupported values, before anything is sent
 */
export function sendConverted(
  connection: Connection,
  request: TextRequest,
  call: ProviderCall,
  receiver: ChatReceiver,
): readonly string[] {
  const { provider } = connection;
  const { stream, each, dropped: lost } = request;
  const held = each === undefined ? null : new HeldBytes();
  const sendOne = (given: ChatRequest, to: ChatReceiver): readonly string[] => {
    const body = Buffer.from(JSON.stringify(given));
    const converted = stream ? to : new ChatDocumentReceiver(provider, to, held);
    return chat.send(connection, given, { ...call, body, outline: null }, converted);
  };
  const { model, stream: isStreamed, stream_options: options } = request.chat;
  const streaming = isStreamed === true ? { stream: true, stream_options: options } : {};
  const joined = each && {
    provider,
    stream,
    count: each.length,
    choices: each[0]?.n ?? 1,
    inputTokens: (index: number): number => estimateTokens(Buffer.byteLength(JSON.stringify(each[index] ?? null))),
    send(index: number, to: ChatReceiver): readonly string[] {
      const given = each[index];
      if (given === undefined) throw new Error(`there is no chat ${index}`);
      return sendOne({ ...given, model, ...streaming }, to);
    },
  };
  const dropped = joined === undefined ? sendOne(request.chat, receiver) : new JoinedChats(joined, receiver).start();
  return [...lost, ...clientPaths(dropped, request.memberNames)];
}
