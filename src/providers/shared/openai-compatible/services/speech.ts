import type { Send } from '../../../contract.ts';
import { overwriteMember, withMembers } from '../../http/request-body.ts';
import { unsupportedSpeechParameters, voiceName } from '../../media/speech-parameters.ts';
import type { SpeechFormat, SpeechRequest } from '../../media/speech-request.ts';
import type { ServiceClient } from './service-client.ts';

/** How a server's speech differs from OpenAI's. Absent members are as at OpenAI, except for the events. */
export interface SpeechShape {
  /** OpenAI parameters that it does not support. */
  readonly unsupportedParams?: readonly string[];
  /** Its formats, as members of its body, if they differ from OpenAI's. */
  readonly formats?: Readonly<Partial<Record<SpeechFormat, Readonly<Record<string, unknown>>>>>;
  /** The default format that is sent to it; if absent, the server chooses. */
  readonly defaultFormat?: SpeechFormat;
  /** The range of speeds. */
  readonly speeds?: (speed: unknown) => boolean;
}

/** Media are accepted in addition to the formats of every response. */
const acceptAudio: readonly string[] = ['accept', 'audio/*'];

/** OpenAI's first speech models have no events. Azure calls them `tts` and `tts-hd`. */
const withoutEvents = /^tts(-1)?(-hd)?(-\d|$)/;

/**
 * `POST /audio/speech` with the client's body, except for unsupported members. Only OpenAI has speech events: for other
 * servers the bytes are requested, and the gateway creates the events.
 * @param shape of a server other than OpenAI
 */
export function sendSpeech({ provider, upstream, path }: ServiceClient, shape?: SpeechShape): Send<SpeechRequest> {
  return (context, receiver) => {
    const { body, model, request } = context;
    if (body === null) throw new Error('a speech request has a JSON body');
    const { dropped, edits } = shape === undefined ? { dropped: [], edits: {} } : shaped(provider, shape, context);
    const isEvents = request.stream_format === 'sse';
    const supportsEvents = shape === undefined && !withoutEvents.test(model);
    const withoutForm = request.stream_format != null && (shape !== undefined || isEvents) && !supportsEvents;
    const all: Record<string, string | null> = { ...edits, ...(withoutForm && { stream_format: null }) };
    const name = JSON.stringify(model);
    const isUnchanged = Object.keys(all).length === 0;
    const sent = isUnchanged ? overwriteMember(body, 'model', name) : withMembers(body, { ...all, model: name });
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
