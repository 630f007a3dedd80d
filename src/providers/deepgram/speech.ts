import { SluiceError } from '../../errors/index.ts';
import type { CallContext, Send } from '../contract.ts';
import { AudioReceiver } from '../shared/media/audio-receiver.ts';
import type { HttpUpstream } from '../shared/http/http-upstream.ts';
import { refuseOrDrop } from '../../protocols/canonical/parameter-policy.ts';
import { formatFor, isWithin, unsupportedSpeechParameters, voiceName } from '../shared/media/speech-parameters.ts';
import { speechMediaTypes, type SpeechFormat, type SpeechRequest } from '../shared/media/speech-request.ts';

const PROVIDER = 'deepgram';

/** Source: developers.deepgram.com/docs/tts-media-output-settings, audio format combinations. */
const formats: Readonly<Record<SpeechFormat, Readonly<Record<string, string>>>> = {
  mp3: { encoding: 'mp3' },
  opus: { encoding: 'opus', container: 'ogg' },
  aac: { encoding: 'aac' },
  flac: { encoding: 'flac' },
  wav: { encoding: 'linear16', container: 'wav', sample_rate: '24000' },
  pcm: { encoding: 'linear16', container: 'none', sample_rate: '24000' },
};

/** Source: developers.deepgram.com/docs/tts-voice-controls. */
const hasSpeed = isWithin(0.7, 1.5);

/** A voice family without a voice: `aura`, `aura-2`. */
const family = /^[a-z]+(-\d+)?$/;

/**
 * Deepgram's speech. Its models are voices: `aura-2-thalia-en`. With a family name such as `aura-2`, the request's
 * voice is used, in English unless it names a language: `thalia`, or `celeste-es`. Source:
 * developers.deepgram.com/reference/text-to-speech/speak-request.
 */
export function deepgramSpeech(upstream: HttpUpstream): Send<SpeechRequest> {
  return (context, receiver) => {
    const { request } = context;
    const dropped = unsupportedSpeechParameters(PROVIDER, context, (name, value) =>
      name === 'speed' ? hasSpeed(value) && !/^aura-[a-z]/.test(context.model) : name === 'response_format',
    );
    const voice = voiceOf(context);
    const query = new URLSearchParams({ model: voice.model, ...formatFor(formats, request, 'mp3') });
    const { speed } = request;
    if (speed != null && speed !== 1 && !dropped.includes('speed')) query.set('speed', String(speed));
    const audioReceiver = new AudioReceiver(receiver, speechMediaTypes[request.response_format ?? 'mp3'], null);
    upstream.post(
      `${upstream.path('/v1/speak')}?${query.toString()}`,
      JSON.stringify({ text: request.input }),
      audioReceiver,
    );
    return [...dropped, ...voice.dropped];
  };
}

function voiceOf({ model, request, parameters }: CallContext<SpeechRequest>): {
  readonly model: string;
  readonly dropped: readonly string[];
} {
  const voice = voiceName(request).toLowerCase();
  if (family.test(model)) {
    if (!/^[a-z]+(-[a-z]{2})?$/.test(voice))
      throw new SluiceError('invalid_value', {
        param: 'voice',
        values: { reason: `it must be a voice of ${model}, such as 'thalia'.` },
      });
    return { model: `${model}-${voice}${voice.includes('-') ? '' : '-en'}`, dropped: [] };
  }
  const isOwnVoice = voice === model || model.split('-').includes(voice);
  return { model, dropped: isOwnVoice ? [] : refuseOrDrop(PROVIDER, ['voice'], parameters) };
}
