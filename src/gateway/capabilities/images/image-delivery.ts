import { unixSeconds } from '../../../calendar/clock.ts';
import { SluiceError, toSluiceError } from '../../../errors/index.ts';
import type { HeaderMap, Upstream, UpstreamReceiver } from '../../../providers/contract.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';
import { tryParse } from '../../json-text.ts';
import { rendered } from './image-stream.ts';
import { imagesOf } from './images-answer.ts';
import { specificValue } from './images-usage.ts';
import type { ImageHandling } from './image-handling.ts';

/** For a response with images in base64. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;
const EVENT_STREAM = 'text/event-stream; charset=utf-8';

export interface DeliveryOptions {
  readonly provider: string;
  /** The provider's model name. */
  readonly model: string;
  readonly kind: 'generation' | 'edit' | 'variation';
  /** The requested image format; null for the model's default. */
  readonly format: 'url' | 'b64_json' | null;
  readonly streamed: boolean;
  readonly quality: string | null;
  readonly images: ImageHandling;
}

/**
 * Converts a provider's response before it reaches the pipeline: images to the requested format, Sluice's links or
 * base64; the size and quality of the images where the provider omits them; and events for a client that requested a
 * stream from a provider without one. A stream of events passes unchanged.
 */
export class ImageDelivery implements UpstreamReceiver {
  readonly #options: DeliveryOptions;
  readonly #receiver: UpstreamReceiver;
  readonly #aborting = new AbortController();
  readonly #parts: Buffer[] = [];
  #upstream: Upstream | null = null;
  #length = 0;
  #isPassedThrough = false;

  constructor(options: DeliveryOptions, receiver: UpstreamReceiver) {
    this.#options = options;
    this.#receiver = receiver;
  }

  onConnecting(upstream: Upstream): void {
    this.#upstream = upstream;
    this.#receiver.onConnecting(new AbortedWith(upstream, this.#aborting));
  }

  onSent(): void {
    this.#receiver.onSent?.();
  }

  onHead(status: number, headers: HeaderMap): void {
    this.#isPassedThrough = String(headers['content-type'] ?? '').startsWith('text/event-stream');
    if (this.#isPassedThrough) this.#receiver.onHead(status, headers);
  }

  onData(bytes: Buffer): void {
    if (this.#isPassedThrough) {
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
    this.#receiver.onFailure(this.#invalid('the response is too long'));
  }

  onEnd(): void {
    if (this.#isPassedThrough) {
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
    const { format, streamed, quality, model, images } = this.#options;
    const body = Buffer.concat(this.#parts);
    this.#parts.length = 0;
    const answer = tryParse(body.toString());
    const reported = isObject(answer) ? imagesOf(answer) : [];
    if (!isObject(answer) || reported.length === 0) throw this.#invalid('no images');
    // Events contain the images themselves.
    const data = await images.delivered(reported, streamed ? 'b64_json' : format, signal);
    const [first] = data;
    const properties = {
      size: specificValue(answer.size) ?? first?.size ?? undefined,
      quality: specificValue(answer.quality) ?? specificValue(quality) ?? defaultQuality(model),
      output_format: specificValue(answer.output_format) ?? first?.format ?? undefined,
    };
    const items = data.map(({ item }) => item);
    if (streamed) return this.#asEvents({ ...answer, ...properties }, items);
    return Buffer.from(JSON.stringify({ created: unixSeconds(), ...answer, ...properties, data: items }));
  }

  #asEvents(answer: Readonly<Record<string, unknown>>, items: readonly Record<string, unknown>[]): Buffer {
    const type = this.#options.kind === 'generation' ? 'image_generation.completed' : 'image_edit.completed';
    const { data: _data, created = unixSeconds(), usage, ...properties } = answer;
    const events = items.map((item, index) =>
      // The usage of all images is reported once.
      rendered({ type, ...item, created_at: created, ...properties, ...(index === items.length - 1 && { usage }) }),
    );
    return Buffer.from(events.join(''));
  }

  #invalid(detail: string): SluiceError {
    return new SluiceError('provider_invalid_response', { values: { provider: this.#options.provider }, detail });
  }
}

/** DALL·E does not report the default quality. Source: OpenAI's API document, CreateImageRequest, `quality`. */
function defaultQuality(model: string): string | undefined {
  return /^dall-e-[23]$/.test(model) ? 'standard' : undefined;
}

/** Aborts what the gateway fetches, too. */
class AbortedWith implements Upstream {
  readonly #upstream: Upstream;
  readonly #aborting: AbortController;

  constructor(upstream: Upstream, aborting: AbortController) {
    this.#upstream = upstream;
    this.#aborting = aborting;
  }

  get responseHeaders(): Upstream['responseHeaders'] {
    return this.#upstream.responseHeaders;
  }

  get isSent(): boolean | undefined {
    return this.#upstream.isSent;
  }

  pause(): void {
    this.#upstream.pause();
  }

  resume(): void {
    this.#upstream.resume();
  }

  abort(): void {
    this.#aborting.abort();
    this.#upstream.abort();
  }
}
