import { pathSegment } from '../shared/http/path-segment.ts';
import type { Send } from '../contract.ts';
import { AudioReceiver } from '../shared/media/audio-receiver.ts';
import type { HttpUpstream } from '../shared/http/http-upstream.ts';
import { formatFor, isWithin, unsupportedSpeechParameters, voiceName } from '../shared/media/speech-parameters.ts';
import { speechMediaTypes, type SpeechFormat, type SpeechRequest } from '../shared/media/speech-request.ts';
import { wavHeader } from '../shared/media/wav-header.ts';

const PROVIDER = 'elevenlabs';
const RATE = 24_000;

/** WAV is built from raw samples: the provider offers it for unstreamed responses only. */
const formats: Readonly<Partial<Record<SpeechFormat, { readonly format: SpeechFormat; readonly name: string }>>> = {
  mp3: { format: 'mp3', name: 'mp3_44100_128' },
  opus: { format: 'opus', name: 'opus_48000_128' },
  wav: { format: 'wav', name: `pcm_${RATE}` },
  pcm: { format: 'pcm', name: `pcm_${RATE}` },
};

const hasSpeed = isWithin(0.7, 1.2);

/** Provider-specific members that clients may send. */
const ownMembers = [
  'language_code',
  'seed',
  'previous_text',
  'next_text',
  'apply_text_normalization',
  'pronunciation_dictionary_locators',
];
const own = new Set([...ownMembers, 'voice_settings']);

/**
 * ElevenLabs' streamed speech. A voice is the id of one of the account's voices.
 * Source: elevenlabs.io/docs/api-reference/text-to-speech/stream.
 */
export function elevenLabsSpeech(upstream: HttpUpstream): Send<SpeechRequest> {
  return (context, receiver) => {
    const { model, request } = context;
    const dropped = unsupportedSpeechParameters(PROVIDER, context, (name, value) => {
      if (name === 'response_format') return Object.hasOwn(formats, String(value));
      return name === 'speed' ? hasSpeed(value) : own.has(name);
    });
    const { format, name } = formatFor(formats, request, 'mp3');
    const body: Record<string, unknown> = { text: request.input, model_id: model };
    for (const member of ownMembers) if (request[member] != null) body[member] = request[member];
    const settings = voiceSettings(request, !dropped.includes('speed'));
    if (settings !== null) body.voice_settings = settings;
    const path = upstream.path(`/v1/text-to-speech/${pathSegment(voiceName(request), 'voice')}/stream`);
    const before = format === 'wav' ? wavHeader(RATE, null) : null;
    const audioReceiver = new AudioReceiver(receiver, speechMediaTypes[format], before);
    upstream.post(`${path}?output_format=${name}`, JSON.stringify(body), audioReceiver);
    return dropped;
  };
}

function voiceSettings({ voice_settings: requested, speed }: SpeechRequest, hasOwnSpeed: boolean): object | null {
  const settings = typeof requested === 'object' && requested !== null ? requested : null;
  return speed == null || speed === 1 || !hasOwnSpeed ? settings : { ...settings, speed };
}
