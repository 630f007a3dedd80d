import type { ChatRequestContext, ParameterPolicy } from '../../../providers/contract.ts';
import type { AccountReasoning } from '../../reasoning/account-reasoning.ts';
import { parseJsonBody } from '../json-body.ts';
import { parseChatRequest } from './parse.ts';

/** A call with a long prompt, whose texts are parsed only for a provider that reads them. */
export class OutlinedChat implements ChatRequestContext {
  readonly model: string;
  readonly body: Buffer;
  readonly requestId: string;
  readonly parameters: ParameterPolicy;
  readonly stream: boolean;
  readonly wantsUsage: boolean;
  readonly outline: ChatRequestContext['request'];
  readonly keepReasoning: ChatRequestContext['keepReasoning'];
  readonly #reasoning: AccountReasoning | null;
  #whole: ChatRequestContext['request'] | null = null;

  /** @param context with the outline's request */
  constructor(context: ChatRequestContext, reasoning: AccountReasoning | null) {
    this.model = context.model;
    this.body = context.body;
    this.requestId = context.requestId;
    this.parameters = context.parameters;
    this.stream = context.stream;
    this.wantsUsage = context.wantsUsage;
    this.outline = context.request;
    this.keepReasoning = context.keepReasoning;
    this.#reasoning = reasoning;
  }

  /** @throws SluiceError invalid_json, where the fault is in a long text */
  get request(): ChatRequestContext['request'] {
    if (this.#whole !== null) return this.#whole;
    const request = parseChatRequest(parseJsonBody(this.body));
    this.#whole = this.#reasoning?.recall(request) ?? request;
    return this.#whole;
  }
}
