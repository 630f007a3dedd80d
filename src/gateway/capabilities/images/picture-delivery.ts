import { unixSeconds } from '../../../calendar/clock.ts';
import { SluiceError, toSluiceError } from '../../../errors/index.ts';
import type { HeaderMap, Upstream, UpstreamReceiver } from '../../../providers/contract.ts';
import { isObject } from '../fault.ts';
import { tryParse } from '../json-text.ts';
import { rendered } from './image-stream.ts';
import { picturesOf } from './images-answer.ts';
import { chosen } from './images-usage.ts';
import type { PictureHandling } from './picture-handling.ts';

/** Of an answer with its pictures in base64. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;
const EVENT_STREAM = 'text/event-stream; charset=utf-8';

export interface DeliveryOptions {
  readonly provider: string;
  /** The provider's own name of the model. */
  readonly model: string;
  readonly kind: 'generation' | 'edit' | 'variation';
  /** What the caller wants the pictures as; null for whatever the model gives. */
  readonly format: 'url' | 'b64_json' | null;
  readonly streamed: boolean;
  readonly quality: string | null;
  readonly pictures: PictureHandling;
}

/**
 * Stands between a provider and the pipeline: pictures in an answer become what the caller asked for, links of ours or base64;
 * the answer says which size and quality its pictures have, where the provider does not; and a caller that asked for events
 * gets them from a provider that has none. A stream of events goes through as it is.
 */
export class PictureDelivery implements UpstreamReceiver {
  readonly #options: DeliveryOptions;
  readonly #receiver: UpstreamReceiver;
  readonly #aborting = new AbortController();
  readonly #parts: Buffer[] = [];
  #upstream: Upstream | null = null;
  #length = 0;
  #through = false;

  constructor(options: DeliveryOptions, receiver: UpstreamReceiver) {
    this.#options = options;
    this.#receiver = receiver;
  }

  onConnecting(upstream: Upstream): void {
    this.#upstream = upstream;
    this.#receiver.onConnecting({
      pause: () => upstream.pause(),
      resume: () => upstream.resume(),
      abort: () => {
        this.#aborting.abort();
        upstream.abort();
      },
    });
  }

  onSent(): void {
    this.#receiver.onSent?.();
  }

  onHead(status: number, headers: HeaderMap): void {
    this.#through = String(headers['content-type'] ?? '').startsWith('text/event-stream');
    if (this.#through) this.#receiver.onHead(status, headers);
  }

  onData(bytes: Buffer): void {
    if (this.#through) {
      this.#receiver.onData(bytes);
      return;
    }
    this.#length += bytes.length;
    if (this.#length <= MAX_ANSWER_BYTES) {
      this.#parts.push(bytes);
      return;
    }
    if (this.#aborting.signal.aborted) return;
    this.#aborting.abort();
    this.#upstream?.abort();
    this.#receiver.onFailure(this.#invalid('the answer is too long'));
  }

  onEnd(): void {
    if (this.#through) {
      this.#receiver.onEnd();
      return;
    }
    const { signal } = this.#aborting;
    void this.#delivered(signal).then(
      (body) => {
        if (signal.aborted) return;
        const contentType = this.#options.streamed ? EVENT_STREAM : 'application/json';
        this.#receiver.onHead(200, { 'content-type': contentType });
        this.#receiver.onData(body);
        this.#receiver.onEnd();
      },
      (error: unknown) => {
        if (!signal.aborted) this.#receiver.onFailure(toSluiceError(error));
      },
    );
  }

  onFailure(error: SluiceError): void {
    this.#receiver.onFailure(error);
  }

  async #delivered(signal: AbortSignal): Promise<Buffer> {
    const { format, streamed, quality, model, pictures } = this.#options;
    const body = Buffer.concat(this.#parts);
    this.#parts.length = 0;
    const answer = tryParse(body.toString());
    const given = isObject(answer) ? picturesOf(answer) : [];
    if (!isObject(answer) || given.length === 0) throw this.#invalid('no pictures');
    // Events hold the pictures themselves.
    const data = await pictures.delivered(given, streamed ? 'b64_json' : format, signal);
    const [first] = data;
    const told = {
      size: chosen(answer.size) ?? first?.size ?? undefined,
      quality: chosen(answer.quality) ?? chosen(quality) ?? usualQuality(model),
      output_format: chosen(answer.output_format) ?? first?.format ?? undefined,
    };
    const items = data.map(({ item }) => item);
    if (streamed) return this.#asEvents({ ...answer, ...told }, items);
    return Buffer.from(JSON.stringify({ created: unixSeconds(), ...answer, ...told, data: items }));
  }

  #asEvents(answer: Readonly<Record<string, unknown>>, items: readonly Record<string, unknown>[]): Buffer {
    const type = this.#options.kind === 'generation' ? 'image_generation.completed' : 'image_edit.completed';
    const { data: _data, created = unixSeconds(), usage, ...told } = answer;
    const events = items.map((item, index) =>
      // What all of them used is told once.
      rendered({ type, ...item, created_at: created, ...told, ...(index === items.length - 1 && { usage }) }),
    );
    return Buffer.from(events.join(''));
  }

  #invalid(detail: string): SluiceError {
    return new SluiceError('provider_invalid_response', { values: { provider: this.#options.provider }, detail });
  }
}

/** DALL·E does not say what it made unasked. Source: OpenAI's API document, CreateImageRequest, `quality`. */
function usualQuality(model: string): string | undefined {
  return /^dall-e-[23]$/.test(model) ? 'standard' : undefined;
}
