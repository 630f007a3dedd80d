import type { ResponseDecoder } from '../../../protocols/canonical/response-decoder.ts';
import type { StreamPartWriter } from '../../../protocols/canonical/stream-part-writer.ts';
import { STREAM_PARTS } from '../../../providers/contract.ts';
import type { StreamRelay, StreamRelayOptions } from '../capability.ts';
import { ChatStream } from '../chat/stream/chat-stream.ts';
import { DecodedChatStream, ResponsePartsRelay } from '../responses/response-relays.ts';
import type { ClientProtocol } from './client-protocol.ts';
import { nativeContentType } from './native-receiver.ts';
import { NativeStream } from './native-stream.ts';
import { OrderedPartsRelay } from './ordered-parts-relay.ts';

/** How a provider's stream reaches a client of the protocol, by its content type; null where it is no stream. */
export function relayOf<Settings>(
  protocol: ClientProtocol<Settings>,
  options: StreamRelayOptions,
  wantsUsage: boolean,
): StreamRelay | null {
  const { contentType } = options;
  if (contentType === STREAM_PARTS)
    return protocol.signsInPlace ? new OrderedPartsRelay(options) : new ResponsePartsRelay(options);
  const native = nativeContentType(contentType);
  if (native === null) return contentType.startsWith('text/event-stream') ? new DecodedChatStream(options) : null;
  if (!native.startsWith('text/event-stream')) return null;
  if (protocol.observer === null) return new ChatStream({ ...options, contentType: native, wantsUsage });
  const decoder = (writer: StreamPartWriter): ResponseDecoder => protocol.decoder(writer);
  return new NativeStream(options, native, { observer: protocol.observer(), decoder });
}
