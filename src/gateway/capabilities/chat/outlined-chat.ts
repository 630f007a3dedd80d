import type { ChatOutline, ChatRequestContext, ParameterPolicy } from '../../../providers/contract.ts';
import { parseJsonBody } from '../json-body.ts';
import type { Outline } from '../outline.ts';
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
  readonly outline: ChatOutline;
  #whole: ChatRequest | null = null;

  /** @param context with the outline's request */
  constructor(context: ChatRequestContext, { modelNamedOnce }: Outline) {
    this.model = context.model;
    this.body = context.body;
    this.requestId = context.requestId;
    this.parameters = context.parameters;
    this.stream = context.stream;
    this.wantsUsage = context.wantsUsage;
    this.outline = { request: context.request, modelNamedOnce };
  }

  /** @throws SluiceError invalid_json, where the fault is in a long text */
  get request(): ChatRequest {
    this.#whole ??= parseChatRequest(parseJsonBody(this.body));
    return this.#whole;
  }
}
