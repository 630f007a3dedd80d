import type { TranscriptionSummary } from './transcription-summary.ts';
import type { TranscriptionRequest } from '../../../providers/shared/media/transcription-request.ts';
import { notSupported, type Capability } from '../capability.ts';
import { readModelName } from '../../../protocols/canonical/validation/common-members.ts';
import { parseTranscription, transcriptionMembers } from './parse.ts';
import { TranscriptStream, CompleteTranscript } from './transcript-stream.ts';
import { parseTranscriptionResponse } from './transcription-answer.ts';
import { transcriptionUsage } from './transcription-usage.ts';

/** Speech to text: OpenAI's `POST /v1/audio/transcriptions`; and into English, `POST /v1/audio/translations`. */
export function transcription(
  task: TranscriptionRequest['task'],
): Capability<TranscriptionRequest, TranscriptionSummary> {
  return {
    name: 'transcription',
    members: transcriptionMembers[task],
    modelName: readModelName,
    parse: (fields) => parseTranscription(task, fields),
    summarize: ({ response_format, durationSeconds }) => ({
      format: response_format ?? 'json',
      seconds: durationSeconds,
    }),
    streamed: isStreamed,
    wantsUsage: () => true,
    // The output is not known in advance; the cost, by the seconds, is.
    outputReserve: () => 0,
    cacheable: () => null,
    endUser: () => null,
    send(connection, request, call, receiver) {
      const send = connection.services.transcription ?? notSupported(connection, 'transcription');
      return send({ ...call, request, stream: isStreamed(request) }, receiver);
    },
    relayStream(options) {
      const type = options.contentType.split(';', 1)[0]?.trim().toLowerCase();
      if (type === 'text/event-stream') return new TranscriptStream(options);
      return type === 'application/json' ? new CompleteTranscript(options) : null;
    },
    parseResponse: parseTranscriptionResponse,
    /** Audio that was sent is transcribed, even if the client disconnects. */
    usageWithoutResponse: ({ seconds }, _inputTokens, pricing) => transcriptionUsage(seconds, null, 0, pricing).usage,
  };
}

/** OpenAI ignores `stream` for whisper-1, and so for the formats that only that model supports. */
function isStreamed({ stream, model, response_format: format }: TranscriptionRequest): boolean {
  const isWhisper = typeof model === 'string' && /(^|\/)whisper-1$/.test(model);
  return stream === true && !isWhisper && format !== 'srt' && format !== 'vtt' && format !== 'verbose_json';
}
