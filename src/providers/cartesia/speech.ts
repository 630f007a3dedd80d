import type { Send } from '../contract.ts';
import { AudioReceiver } from '../shared/media/audio-receiver.ts';
import type { HttpUpstream } from '../shared/http/http-upstream.ts';
import { formatFor, isWithin, unsupportedSpeechParameters, voiceName } from '../shared/media/speech-parameters.ts';
import { speechMediaTypes, type SpeechFormat, type SpeechRequest } from '../shared/media/speech-request.ts';

const PROVIDER = 'cartesia';

interface Format {
  readonly format: SpeechFormat;
  readonly members: Readonly<Record<string, string | number>>;
}

/** Source: docs.cartesia.ai/build-with-cartesia/capability-guides/tts-output-audio-format. */
const formats: Readonly<Partial<Record<SpeechFormat, Format>>> = {
  mp3: { format: 'mp3', members: { container: 'mp3', sample_rate: 44_100, bit_rate: 128_000 } },
  wav: { format: 'wav', members: { container: 'wav', encoding: 'pcm_s16le', sample_rate: 24_000 } },
  pcm: { format: 'pcm', members: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 } },
};

const hasSpeed = isWithin(0.6, 1.5);
/** Models before `sonic-3` have no numeric speed. */
const isOlder = /^sonic(-2|-turbo|-english|-multilingual|-preview)?(-\d{4}.*)?$/;

/** Provider-specific members that clients may send. */
const ownMembers = ['language', 'pronunciation_dict_id'];
const own = new Set([...ownMembers, 'generation_config']);

/**
 * Cartesia's speech, relayed as it arrives. A voice is the id of one of its voices. Source:
 * docs.cartesia.ai/api-reference/tts/bytes.
 */
export function cartesiaSpeech(upstream: HttpUpstream): Send<SpeechRequest> {
  return (context, receiver) => {
    const { model, request } = context;
    const dropped = unsupportedSpeechParameters(PROVIDER, context, (name, value) => {
      if (name === 'response_format') return Object.hasOwn(formats, String(value));
      return name === 'speed' ? hasSpeed(value) && !isOlder.test(model) : own.has(name);
    });
    const { format, members } = formatFor(formats, request, 'mp3');
    const body: Record<string, unknown> = {
      model_id: model,
      transcript: request.input,
      voice: { mode: 'id', id: voiceName(request) },
      output_format: members,
    };
    for (const member of ownMembers) if (request[member] != null) body[member] = request[member];
    const { generation_config: requested, speed } = request;
    const config = typeof requested === 'object' && requested !== null ? requested : null;
    const isFaster = speed != null && speed !== 1 && !dropped.includes('speed');
    if (config !== null || isFaster) body.generation_config = { ...config, ...(isFaster && { speed }) };
    const audioReceiver = new AudioReceiver(receiver, speechMediaTypes[format], null);
    upstream.post(upstream.path('/tts/bytes'), JSON.stringify(body), audioReceiver);
    return dropped;
  };
}
