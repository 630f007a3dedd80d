import { SluiceError } from '../../../errors/index.ts';
import type { HeaderMap, Send, Upstream, UpstreamReceiver } from '../../contract.ts';
import type { HttpUpstream } from '../../shared/http/http-upstream.ts';
import { unsupportedSpeechParameters, voiceName } from '../../shared/media/speech-parameters.ts';
import type { SpeechRequest } from '../../shared/media/speech-request.ts';
import { SseEvents } from '../../shared/sse/sse-events.ts';
import { reportedWithin } from '../../shared/http/upstream-error.ts';
import { wavHeader } from '../../shared/media/wav-header.ts';
import { reportedError } from '../../../protocols/gemini/errors.ts';
import { chatUsage } from '../../../protocols/gemini/usage.ts';
import { listOf, objectOf, textOf, type JsonObject } from '../../../protocols/canonical/json-members.ts';

const DEFAULT_RATE = 24_000;

/** Voice instructions for these are part of the text, and they support one format. */
const olderModels = /^gemini-(2\.5|3\.1)-/;

/**
 * Gemini's speech: samples of 24 kHz, relayed as they arrive or as WAV. It is delivered as OpenAI's speech events,
 * which can report tokens. The default format is WAV. Source: ai.google.dev/gemini-api/docs/speech-generation;
 * docs.cloud.google.com/gemini-enterprise-agent-platform, text to speech.
 */
export function geminiSpeech(
  provider: string,
  upstream: HttpUpstream,
  resourceName: (model: string) => string,
): Send<SpeechRequest> {
  return (context, receiver) => {
    const { model, request } = context;
    const dropped = unsupportedSpeechParameters(
      provider,
      context,
      (name, value) => name === 'instructions' || (name === 'response_format' && (value === 'wav' || value === 'pcm')),
    );
    const path = upstream.path(`/${resourceName(model)}:streamGenerateContent?alt=sse`);
    const answer = new GeminiSpeech(provider, receiver, request.response_format !== 'pcm');
    upstream.post(path, JSON.stringify(translated(model, request)), answer);
    return dropped;
  };
}

function translated(model: string, request: SpeechRequest): object {
  const { input, instructions } = request;
  const isOlder = olderModels.test(model.replace(/^models\//, ''));
  const hasInstructions = instructions != null && instructions !== '';
  const part = isOlder
    ? { text: hasInstructions ? `${instructions}: ${input}` : input }
    : { text: input, ...(hasInstructions && { speechMetadata: { style: instructions } }) };
  return {
    contents: [{ role: 'user', parts: [part] }],
    generationConfig: {
      responseModalities: ['AUDIO'],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: voiceName(request) } } },
      ...(!isOlder && { responseFormat: { audio: { mimeType: 'AUDIO_L16' } } }),
    },
  };
}

class GeminiSpeech implements UpstreamReceiver {
  readonly #provider: string;
  readonly #receiver: UpstreamReceiver;
  readonly #asWav: boolean;
  readonly #events = new SseEvents((data) => this.#event(data));
  #upstream: Upstream | null = null;
  #hasStarted = false;
  #over = false;
  #finishReason: string | null = null;
  #usage: ReturnType<typeof chatUsage> = null;

  constructor(provider: string, receiver: UpstreamReceiver, asWav: boolean) {
    this.#provider = provider;
    this.#receiver = receiver;
    this.#asWav = asWav;
  }

  onConnecting(upstream: Upstream): void {
    this.#upstream = upstream;
    this.#receiver.onConnecting(upstream);
  }

  onSent(): void {
    this.#receiver.onSent?.();
  }

  onHead(status: number, _headers: HeaderMap): void {
    this.#receiver.onHead(status, { 'content-type': 'text/event-stream; charset=utf-8' });
  }

  onData(bytes: Buffer): void {
    this.#guard(() => this.#events.push(bytes));
  }

  onEnd(): void {
    this.#guard(() => this.#events.end());
    if (this.#over) return;
    if (!this.#hasStarted) return this.#fail(this.#silent());
    if (this.#finishReason !== null)
      this.#emit({ type: 'speech.audio.done', ...(this.#usage && usageMember(this.#usage)) });
    this.#receiver.onEnd();
  }

  onFailure(error: SluiceError): void {
    if (!this.#over) this.#receiver.onFailure(error);
  }

  #event(data: string): void {
    if (this.#over) return;
    const answer = objectOf(JSON.parse(data)) ?? {};
    const error = reportedError(answer);
    if (error !== null) return this.#fail(reportedWithin(this.#provider, error));
    this.#usage = chatUsage(answer.usageMetadata) ?? this.#usage;
    const blocked = textOf(objectOf(answer.promptFeedback)?.blockReason);
    const candidate = objectOf(listOf(answer.candidates)[0]);
    this.#finishReason = textOf(candidate?.finishReason) ?? blocked ?? this.#finishReason;
    for (const part of listOf(objectOf(candidate?.content)?.parts)) this.#part(objectOf(objectOf(part)?.inlineData));
  }

  #part(audio: JsonObject | null): void {
    const data = textOf(audio?.data) ?? '';
    if (data === '') return;
    const mimeType = (textOf(audio?.mimeType) ?? '').toLowerCase();
    if (!this.#hasStarted && this.#asWav && /^(audio\/(l16|pcm)\b.*)?$/.test(mimeType)) {
      const rate = Number(/\brate=(\d{4,6})\b/.exec(mimeType)?.[1] ?? DEFAULT_RATE);
      this.#emit({ type: 'speech.audio.delta', audio: wavHeader(rate, null).toString('base64') });
    }
    this.#hasStarted = true;
    this.#emit({ type: 'speech.audio.delta', audio: data });
  }

  #emit(event: object): void {
    this.#receiver.onData(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
  }

  /** When Google refuses to speak, its response is complete and has a finish reason. */
  #silent(): SluiceError {
    const reason = this.#finishReason;
    if (reason === null || reason === 'STOP' || reason === 'OTHER')
      return new SluiceError('provider_invalid_response', { values: { provider: this.#provider }, detail: 'no audio' });
    const message = `The provider ${this.#provider} did not speak the text: ${reason}`;
    return reportedWithin(this.#provider, { message, type: null, code: 'content_filter', status: 400 });
  }

  #guard(read: () => void): void {
    if (this.#over) return;
    try {
      read();
    } catch (cause) {
      this.#fail(new SluiceError('provider_invalid_response', { values: { provider: this.#provider }, cause }));
    }
  }

  #fail(error: SluiceError): void {
    this.#over = true;
    this.#upstream?.abort();
    this.#receiver.onFailure(error);
  }
}

function usageMember({ inputTokens, outputTokens }: NonNullable<ReturnType<typeof chatUsage>>): object {
  const total = inputTokens + outputTokens;
  return { usage: { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: total } };
}
