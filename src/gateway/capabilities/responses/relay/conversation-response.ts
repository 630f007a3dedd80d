import type { ClientResponse, ResponseHead } from '../../../client-response.ts';
import { replaceMember, setMember } from '../../../../providers/shared/http/request-body.ts';
import { withEventData } from '../../../../providers/shared/sse/event-data.ts';
import { ForwardingResponse } from '../../../forwarding-response.ts';

/**
 * Passes on a response with the conversation that it belongs to, as OpenAI names it: `"conversation": {"id": …}`. Nothing else is
 * changed.
 */
export class ConversationResponse extends ForwardingResponse {
  readonly #named: string;
  readonly #onSuccess: () => void;
  #isStream = false;

  /** @param onSuccess called after the last bytes of a response that succeeded */
  constructor(response: ClientResponse, conversation: string, onSuccess: () => void) {
    super(response);
    this.#named = JSON.stringify({ id: conversation });
    this.#onSuccess = onSuccess;
  }

  override head(head: ResponseHead): void {
    this.#isStream = head.contentLength === null;
    super.head(head);
  }

  write(bytes: Buffer): boolean {
    this.#sendHead(null);
    return this.response.write(this.#withConversation(bytes));
  }

  end(bytes: Buffer | null, costNano: bigint | null): void {
    const last = bytes && this.#withConversation(bytes);
    this.#sendHead(last);
    this.response.end(last, costNano);
    // The cost is known of what succeeded: a response that output moderation refused at its end is complete, too.
    if (costNano !== null) this.#onSuccess();
  }

  /** @param document all of a response that is not streamed */
  #sendHead(document: Buffer | null): void {
    if (this.pendingHead === null) return;
    const { contentLength } = this.pendingHead;
    this.response.head({ ...this.pendingHead, contentLength: contentLength === null ? null : (document?.length ?? 0) });
    this.pendingHead = null;
  }

  /** @param bytes complete events, or a document */
  #withConversation(bytes: Buffer): Buffer {
    const name = (response: Buffer): Buffer => setMember(response, 'conversation', this.#named);
    if (!this.#isStream) return name(bytes);
    return withEventData(bytes, (event) => replaceMember(event, 'response', name));
  }
}
