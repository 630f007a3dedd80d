import type { SluiceError } from '../../../errors/index.ts';
import { eventData, SseEventSplitter } from '../../../providers/shared/sse/sse-event-splitter.ts';
import { reportedError } from '../chat/reported-error.ts';
import type { ReportedTokens } from './speech-usage.ts';
import { tryParse } from '../../json-text.ts';

const MAX_TOKENS = 2_000_000_000;

/** The audio and events of one push. */
export interface SpeechEventBatch {
  readonly audio: Buffer;
  /** The events as received, without the last one. */
  readonly events: string;
}

/**
 * Parses OpenAI's speech events: `speech.audio.delta` with base64, and `speech.audio.done` with the usage. Others pass.
 * Text is handled as Latin-1, one character per byte, so that unparsed bytes pass unchanged. Source: OpenAI's API
 * document, CreateSpeechResponseStreamEvent.
 */
export class SpeechEvents {
  readonly #provider: string;
  readonly #events = new SseEventSplitter();
  done = false;
  /** The usage as reported. */
  reportedUsage: Readonly<Record<string, unknown>> = {};
  reportedTokens: ReportedTokens | null = null;
  failure: SluiceError | null = null;

  constructor(provider: string) {
    this.#provider = provider;
  }

  /** @throws RangeError when an event exceeds the limit */
  push(bytes: Buffer): SpeechEventBatch {
    const audio: Buffer[] = [];
    let events = '';
    for (const piece of this.#events.push(bytes.toString('latin1')).split('\n\n')) {
      const event = piece.replace(/^\n+/, '');
      const isShown = this.#event(event, audio);
      if (this.done || this.failure) break;
      if (isShown) events += `${event}\n\n`;
    }
    return { audio: Buffer.concat(audio), events };
  }

  /** @returns whether the event is forwarded */
  #event(event: string, audio: Buffer[]): boolean {
    const data = eventData(event);
    if (data === null || data === '') return event !== '';
    if (data === '[DONE]') {
      this.done = true;
      return false;
    }
    const value = members(tryParse(data));
    if (value.error || value.type === 'error') {
      const reported = members(tryParse(Buffer.from(data, 'latin1').toString()));
      this.failure = reportedError(this.#provider, reported.error ?? reported);
      return false;
    }
    if (value.type === 'speech.audio.delta' && typeof value.audio === 'string')
      audio.push(Buffer.from(value.audio, 'base64'));
    if (value.type === 'speech.audio.done') this.#finish(members(value.usage));
    return true;
  }

  #finish(usage: Record<string, unknown>): void {
    this.done = true;
    const input = tokens(usage.input_tokens);
    const output = tokens(usage.output_tokens);
    if (input === null || output === null) return;
    this.reportedUsage = usage;
    this.reportedTokens = { input, output };
  }
}

export function deltaEvent(audio: Buffer): Buffer {
  return Buffer.from(`data: {"type":"speech.audio.delta","audio":"${audio.toString('base64')}"}\n\n`, 'latin1');
}

export function doneEvent(usage: Readonly<Record<string, unknown>>): Buffer {
  return Buffer.from(`data: ${JSON.stringify({ type: 'speech.audio.done', usage })}\n\n`);
}

function tokens(value: unknown): number | null {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS;
  return isCount ? value : null;
}

function members(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
