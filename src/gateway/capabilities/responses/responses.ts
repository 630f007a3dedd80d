import { STREAM_PARTS } from '../../../providers/contract.ts';
import type { Capability } from '../capability.ts';
import { chat } from '../chat/chat.ts';
import type { ChatRequest } from '../../../protocols/chat-completions/decode-request/schema.ts';
import { readChatResult } from '../chat/chat-answer.ts';
import { DecodedChatStream, ResponsePartsRelay } from './response-relays.ts';

/** Chats whose client speaks the Responses protocol: their output is relayed typed, and `ResponseConverter` encodes it. */
export const responses: Capability<ChatRequest> = {
  ...chat,
  protocol: 'responses',
  relayStream(options) {
    if (options.contentType === STREAM_PARTS) return new ResponsePartsRelay(options);
    return options.contentType.startsWith('text/event-stream') ? new DecodedChatStream(options) : null;
  },
  readResult: (result) => ({ response: readChatResult(result), output: result }),
};
