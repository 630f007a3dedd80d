import type { ChatRequestContext } from '../../../providers/contract.ts';
import type { ParameterPolicy } from '../../../protocols/canonical/parameter-policy.ts';
import type { AccountReasoning } from '../../reasoning/account-reasoning.ts';
import { parseJsonBody } from '../json-body.ts';
import { decodeChatRequest } from '../../../protocols/chat-completions/decode-request.ts';

/** A call with a long prompt, which is parsed only for a provider that needs its text. */
export class OutlinedChat implements ChatRequestContext {
  readonly model: string;
  readonly body: Buffer;
  readonly requestId: string;
  readonly parameters: ParameterPolicy;
  readonly stream: boolean;
  readonly wantsUsage: boolean;
  readonly outline: ChatRequestContext['request'];
  readonly storeReasoning: ChatRequestContext['storeReasoning'];
  readonly #reasoning: AccountReasoning | null;
  #complete: ChatRequestContext['request'] | null = null;

  /** @param context with the outline's request */
  constructor(context: ChatRequestContext, reasoning: AccountReasoning | null) {
    this.model = context.model;
    this.body = context.body;
    this.requestId = context.requestId;
    this.parameters = context.parameters;
    this.stream = context.stream;
    this.wantsUsage = context.wantsUsage;
    this.outline = context.request;
    this.storeReasoning = reasoning?.storeAfter(() => this.request);
    this.#reasoning = reasoning;
  }

  /** @throws SluiceError invalid_json for an error in a text that the outline lacks */
  get request(): ChatRequestContext['request'] {
    if (this.#complete !== null) return this.#complete;
    const request = decodeChatRequest(parseJsonBody(this.body));
    this.#complete = this.#reasoning?.recall(request) ?? request;
    return this.#complete;
  }
}
