import type { FormatMeter } from './format-meter.ts';
import type { SpeechFormat } from '../../../providers/shared/media/speech-request.ts';
import { FlacMeter } from './flac-meter.ts';
import { FrameMeter } from './frame-meter.ts';
import { OggMeter } from './ogg-meter.ts';
import { PcmMeter } from './pcm-meter.ts';
import { WavMeter } from './wav-meter.ts';

/** Number of bytes that identify a format; the declared format counts where they do not. */
const MAGIC_BYTES = 4;

const formats: Readonly<Record<string, SpeechFormat>> = {
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/mpeg3': 'mp3',
  'audio/ogg': 'opus',
  'audio/opus': 'opus',
  'application/ogg': 'opus',
  'audio/aac': 'aac',
  'audio/aacp': 'aac',
  'audio/x-aac': 'aac',
  'audio/flac': 'flac',
  'audio/x-flac': 'flac',
  'audio/wav': 'wav',
  'audio/wave': 'wav',
  'audio/x-wav': 'wav',
  'audio/vnd.wave': 'wav',
  'audio/pcm': 'pcm',
  'audio/l16': 'pcm',
  'audio/raw': 'pcm',
  'audio/x-raw': 'pcm',
};

/** Measures audio of any format. A provider may send another one than requested, and declare a third one. */
export class AudioMeter {
  readonly #contentType: string;
  readonly #requested: SpeechFormat;
  #first = Buffer.alloc(0);
  #found: { readonly format: SpeechFormat | null; readonly meter: FormatMeter | null } | null = null;

  /** @param contentType of the provider's response; empty for none @param requested the requested format */
  constructor(contentType: string, requested: SpeechFormat) {
    this.#contentType = contentType.toLowerCase();
    this.#requested = requested;
  }

  push(bytes: Buffer): void {
    if (this.#found !== null) {
      this.#found.meter?.push(bytes);
      return;
    }
    this.#first = Buffer.concat([this.#first, bytes]);
    if (this.#first.length < MAGIC_BYTES) return;
    this.#found = this.#find(this.#first);
    this.#found.meter?.push(this.#first);
    this.#first = Buffer.alloc(0);
  }

  /** Rounded to milliseconds; null where it cannot be determined. */
  get seconds(): number | null {
    if (this.#found === null) return 0;
    const seconds = this.#found.meter?.seconds ?? null;
    return seconds === null ? null : Math.round(seconds * 1_000) / 1_000;
  }

  /** The detected format; the declared or requested one before the first bytes. */
  get format(): SpeechFormat | null {
    return this.#found === null ? (this.declaredFormat ?? this.#requested) : this.#found.format;
  }

  /** The format by the media type; null where it names none. */
  get declaredFormat(): SpeechFormat | null {
    const name = this.#contentType.split(';', 1)[0]?.trim() ?? '';
    return Object.hasOwn(formats, name) ? (formats[name] ?? null) : null;
  }

  #find(first: Buffer): { format: SpeechFormat | null; meter: FormatMeter | null } {
    const mark = first.toString('latin1', 0, MAGIC_BYTES);
    if (mark === 'RIFF' || mark === 'RF64') return { format: 'wav', meter: new WavMeter() };
    if (mark === 'OggS') return { format: 'opus', meter: new OggMeter() };
    if (mark === 'fLaC') return { format: 'flac', meter: new FlacMeter() };
    const declared = this.declaredFormat ?? this.#requested;
    const isFrame = first[0] === 0xff && ((first[1] ?? 0) & 0xe0) === 0xe0;
    const isTag = mark.startsWith('ID3');
    // PCM may start with any bytes: the declared format counts.
    if (declared === 'pcm' || (this.#requested === 'pcm' && !isFrame && !isTag))
      return { format: 'pcm', meter: this.#samples() };
    if (isFrame || isTag || declared === 'mp3' || declared === 'aac') {
      const isAac = isFrame ? ((first[1] ?? 0) & 0x06) === 0 : declared === 'aac';
      return { format: isAac ? 'aac' : 'mp3', meter: new FrameMeter() };
    }
    return { format: null, meter: null };
  }

  /** OpenAI's `pcm` parameters where the media type has none. Source: RFC 2586. */
  #samples(): PcmMeter {
    return new PcmMeter(this.#parameter('rate') ?? 24_000, this.#parameter('channels') ?? 1);
  }

  #parameter(name: string): number | null {
    const value = Number(new RegExp(`[;\\s]${name}="?(\\d{1,6})\\b`).exec(this.#contentType)?.[1]);
    return value > 0 ? value : null;
  }
}
