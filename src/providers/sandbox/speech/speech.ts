import type { Clock } from '../../../calendar/clock.ts';
import type { Send } from '../../contract.ts';
import { unsupportedSpeechParameters, voiceName } from '../../shared/media/speech-parameters.ts';
import { speechMediaTypes, type SpeechFormat, type SpeechRequest } from '../../shared/media/speech-request.ts';
import { wavHeader } from '../../shared/media/wav-header.ts';
import { requireModel } from '../models.ts';
import { countTokens } from '../text/tokens.ts';
import type { AudioPart } from './audio-part.ts';
import { AudioPump } from './audio-pump.ts';
import { flac } from './flac.ts';
import { oggOpus } from './ogg-opus.ts';
import { aac, mp3 } from './repeated.ts';
import { SAMPLE_RATE, speak, utterance, type Utterance } from './synthesis.ts';

export const SANDBOX_SPEECH_MODEL = 'speech';

const PART_SAMPLES = 2_400;
const SAMPLE_BYTES = 2;
/** As OpenAI counts its own. */
const TOKENS_PER_SECOND = 20;

const formats: Readonly<Record<SpeechFormat, (utterance: Utterance) => Iterable<AudioPart>>> = {
  mp3,
  opus: oggOpus,
  aac,
  flac,
  wav,
  pcm,
};

const supportedParams = new Set(['instructions', 'response_format', 'speed']);

/**
 * Sound as long as the text: 15 characters per second, at the requested speed, the same for the same text and voice. WAV, PCM
 * and FLAC contain tones; MP3, Opus and AAC repeat a recorded fragment.
 */
export function sandboxSpeech(tokensPerSecond: number, clock: Clock): Send<SpeechRequest> {
  return (context, receiver) => {
    const { model, request } = context;
    requireModel(model, SANDBOX_SPEECH_MODEL);
    const dropped = unsupportedSpeechParameters('sandbox', context, (name) => supportedParams.has(name));
    const said = utterance(request.input, voiceName(request), request.speed ?? 1);
    const format = request.response_format ?? 'mp3';
    const audio = formats[format](said);
    const isEvents = request.stream_format === 'sse';
    const parts = isEvents ? events(audio, request, said) : audio;
    const pump = new AudioPump(receiver, parts[Symbol.iterator](), { tokensPerSecond, tokensOf }, clock);
    receiver.onConnecting(pump);
    pump.start(isEvents ? 'text/event-stream; charset=utf-8' : speechMediaTypes[format]);
    return dropped;
  };
}

function tokensOf(seconds: number): number {
  return seconds * TOKENS_PER_SECOND;
}

function* pcm(said: Utterance): Generator<AudioPart> {
  for (const samples of speak(said, PART_SAMPLES)) {
    const bytes = Buffer.alloc(samples.length * SAMPLE_BYTES);
    samples.forEach((sample, at) => bytes.writeInt16LE(sample, at * SAMPLE_BYTES));
    yield { bytes, seconds: samples.length / SAMPLE_RATE };
  }
}

function* wav(said: Utterance): Generator<AudioPart> {
  yield { bytes: wavHeader(SAMPLE_RATE, said.samples * SAMPLE_BYTES), seconds: 0 };
  yield* pcm(said);
}

/** The same as OpenAI's speech events. */
function* events(audio: Iterable<AudioPart>, request: SpeechRequest, said: Utterance): Generator<AudioPart> {
  for (const { bytes, seconds } of audio)
    yield { bytes: event({ type: 'speech.audio.delta', audio: bytes.toString('base64') }), seconds };
  const input = countTokens(request.input) + countTokens(request.instructions ?? '');
  const output = Math.ceil(tokensOf(said.seconds));
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  yield { bytes: event({ type: 'speech.audio.done', usage }), seconds: 0 };
}

function event(data: object): Buffer {
  return Buffer.from(`data: ${JSON.stringify(data)}\n\n`);
}
