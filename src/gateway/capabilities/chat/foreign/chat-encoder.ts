import { renderOpenAiError, type SluiceError } from '../../../../errors/index.ts';
import type { GenerationResult, ResultCall } from '../../../../protocols/canonical/generation-result.ts';
import type { ResponseEncoder } from '../../../../protocols/canonical/protocol.ts';
import type { StreamPart } from '../../../../protocols/canonical/stream-part.ts';
import { usageObject, type Usage } from '../../../../protocols/canonical/usage.ts';
import { responseObject } from '../../../../protocols/chat-completions/encode-response.ts';
import { ChatCompletionsStreamEncoder, DONE_EVENT } from '../../../../protocols/chat-completions/encode-stream.ts';
import type { CalledTools } from '../../../../protocols/responses/encode-stream/call-item.ts';
import { StringMember } from '../../../../protocols/responses/encode-stream/string-member.ts';

const NANO_PER_USD = 1e9;

/** The input of the function that stands for a custom tool. */
interface CustomInput {
  readonly text: StringMember;
  json: string;
}

export interface ChatFormOptions {
  readonly tools: CalledTools;
  readonly wantsUsage: boolean;
}

/**
 * Encodes the response to a request in the format of Responses as a chat completion. Calls of custom tools are those of
 * functions whose arguments are the text, not JSON: Cursor reads no others. Source:
 * https://forum.cursor.com/t/override-openai-base-url-sends-responses-api-payload-to-chat-completions-but-expects-chat-completions-output/159298
 */
export class ResponseChatEncoder implements ResponseEncoder {
  readonly contentType = 'text/event-stream; charset=utf-8';
  readonly #options: ChatFormOptions;
  readonly #encoder: ChatCompletionsStreamEncoder;
  /** By the numbers of choice and call. */
  readonly #customInputs = new Map<string, CustomInput>();
  #usage: Usage | null = null;

  constructor(options: ChatFormOptions) {
    this.#options = options;
    this.#encoder = new ChatCompletionsStreamEncoder(options.wantsUsage);
  }

  encode(parts: readonly StreamPart[]): Buffer {
    return Buffer.from(parts.map((part) => this.#events(part)).join(''));
  }

  end(costNano: bigint | null): Buffer {
    const usage = this.#options.wantsUsage ? this.#encoder.usageEvent(withCost(this.#usage, costNano)) : '';
    return Buffer.from(usage + DONE_EVENT);
  }

  document(result: GenerationResult, costNano: bigint | null): Buffer {
    const choices = result.choices.map((choice) => ({
      ...choice,
      calls: choice.calls.map((call) => this.#functionCall(call)),
    }));
    const usage = withCost(result.usage, costNano);
    return Buffer.from(JSON.stringify({ ...responseObject({ ...result, choices }), usage }));
  }

  fail(error: SluiceError): Buffer {
    return Buffer.from(`data: ${renderOpenAiError(error)}\n\n`);
  }

  #events(part: StreamPart): string {
    switch (part.type) {
      case 'usage':
        this.#usage = part.usage;
        return this.#encoder.encode(part);
      case 'tool-call':
        if (!part.isCustom && this.#isCustom(part.name))
          this.#customInputs.set(`${part.choice} ${part.call}`, { text: new StringMember('input'), json: '' });
        return this.#encoder.encode({ ...part, isCustom: false });
      case 'tool-input': {
        const custom = this.#customInputs.get(`${part.choice} ${part.call}`);
        if (custom === undefined) return this.#encoder.encode({ ...part, isCustom: false });
        custom.json += part.text;
        return this.#input(part.choice, part.call, custom.text.push(part.text));
      }
      case 'finish':
        return this.#endInputs(part.choice) + this.#encoder.encode(part);
      default:
        return this.#encoder.encode(part);
    }
  }

  #endInputs(choice: number): string {
    let events = '';
    for (const [key, { text, json }] of this.#customInputs) {
      const [at, call] = key.split(' ').map(Number);
      if (at !== choice || call === undefined) continue;
      const rest = text.end();
      // A model may have written something else than the object.
      events += this.#input(choice, call, text.isFound ? rest : json);
      this.#customInputs.delete(key);
    }
    return events;
  }

  #input(choice: number, call: number, text: string): string {
    return text === '' ? '' : this.#encoder.encode({ type: 'tool-input', choice, call, isCustom: false, text });
  }

  #functionCall(call: ResultCall): ResultCall {
    if (call.isCustom || !this.#isCustom(call.name)) return { ...call, isCustom: false };
    const text = new StringMember('input');
    text.push(call.input);
    text.end();
    return { ...call, input: text.isFound ? text.value : call.input };
  }

  #isCustom(name: string): boolean {
    return this.#options.tools.get(name)?.type === 'custom';
  }
}

function withCost(usage: Usage | null, costNano: bigint | null): Record<string, unknown> {
  const object = usageObject(usage ?? { inputTokens: 0, outputTokens: 0 });
  return costNano === null ? object : { ...object, cost: Number(costNano) / NANO_PER_USD };
}
