import type { ChatRequestContext, ParameterPolicy } from '../../../providers/contract.ts';
import { parseJsonBody } from '../json-body.ts';
import { parseChatRequest } from './parse.ts';
import type { ChatRequest } from './schema.ts';

/** A call with a long prompt, whose texts are parsed only for a provider that reads them. */
export class OutlinedChat implements ChatRequestContext {
  readonly model: string;
  readonly body: Buffer;
  readonly requestId: string;
  readonly parameters: ParameterPolicy;
  readonly stream: boolean;
  readonly wantsUsage: boolean;
  readonly outline: ChatRequestContext['request'];
  #whole: ChatRequest | null = null;

  /** @param context with the outline's request */
  constructor(context: ChatRequestContext) {
    this.model = context.model;
    this.body = context.body;
    this.requestId = context.requestId;
    this.parameters = context.parameters;
    this.stream = context.stream;
    this.wantsUsage = context.wantsUsage;
    this.outline = context.request;
  }

  /** @throws SluiceError invalid_json, where the fault is in a long text */
  get request(): ChatRequest {
    this.#whole ??= parseChatRequest(parseJsonBody(this.body));
    return this.#whole;
  }
}
