import type { Send } from '../../../contract.ts';
import { overwriteMember, withMembers } from '../../http/request-body.ts';
import { unsupportedSpeechParameters, voiceName } from '../../media/speech-parameters.ts';
import type { SpeechFormat, SpeechRequest } from '../../media/speech-request.ts';
import type { ServiceClient } from './service-client.ts';

/** How a server's speech differs from OpenAI's. What is absent is as OpenAI has it, but for the events. */
export interface SpeechShape {
  /** Parameters of OpenAI's that it does not take. */
  readonly unsupportedParams?: readonly string[];
  /** Its formats, as members of its body, where it has not all of OpenAI's by OpenAI's names. */
  readonly formats?: Readonly<Partial<Record<SpeechFormat, Readonly<Record<string, unknown>>>>>;
  /** The format that it is asked for where the caller named none; it chooses itself where absent. */
  readonly defaultFormat?: SpeechFormat;
  /** The speeds that it has. */
  readonly speeds?: (speed: unknown) => boolean;
}

/** Media are asked for beside what every answer may be. */
const acceptAudio: readonly string[] = ['accept', 'audio/*'];

/** OpenAI's first models of speech have no events. Azure calls them `tts` and `tts-hd`. */
const withoutEvents = /^tts(-1)?(-hd)?(-\d|$)/;

/**
 * `POST /audio/speech`, the caller's body as it is but for what the server has not. Where it has no events of speech, which
 * OpenAI alone has, it is asked for the bytes, and the gateway makes the events.
 * @param shape of a server that is not OpenAI's own
 */
export function sendSpeech({ provider, upstream, path }: ServiceClient, shape?: SpeechShape): Send<SpeechRequest> {
  return (context, receiver) => {
    const { body, model, request } = context;
    if (body === null) throw new Error('speech is asked for in JSON');
    const { dropped, edits } = shape === undefined ? { dropped: [], edits: {} } : shaped(provider, shape, context);
    const isEvents = request.stream_format === 'sse';
    const supportsEvents = shape === undefined && !withoutEvents.test(model);
    const withoutForm = request.stream_format != null && (shape !== undefined || isEvents) && !supportsEvents;
    const all: Record<string, string | null> = { ...edits, ...(withoutForm && { stream_format: null }) };
    const name = JSON.stringify(model);
    const isAsItIs = Object.keys(all).length === 0;
    const sent = isAsItIs ? overwriteMember(body, 'model', name) : withMembers(body, { ...all, model: name });
    upstream.post(path('/audio/speech', model), sent, receiver, acceptAudio);
    return dropped;
  };
}

function shaped(
  provider: string,
  { unsupportedParams = [], formats, defaultFormat, speeds }: SpeechShape,
  context: Parameters<Send<SpeechRequest>>[0],
): { readonly dropped: readonly string[]; readonly edits: Record<string, string | null> } {
  const { request } = context;
  const dropped = unsupportedSpeechParameters(provider, context, (name, value) => {
    if (unsupportedParams.includes(name)) return false;
    if (name === 'response_format') return formats === undefined || Object.hasOwn(formats, String(value));
    return name !== 'speed' || speeds === undefined || speeds(value);
  });
  const edits: Record<string, string | null> = {};
  for (const name of dropped) edits[name] = null;
  const format = dropped.includes('response_format') ? defaultFormat : (request.response_format ?? defaultFormat);
  const own = format === undefined ? undefined : (formats?.[format] ?? { response_format: format });
  for (const [name, value] of Object.entries(own ?? {})) edits[name] = JSON.stringify(value);
  if (typeof request.voice !== 'string') edits.voice = JSON.stringify(voiceName(request));
  return { dropped, edits };
}
