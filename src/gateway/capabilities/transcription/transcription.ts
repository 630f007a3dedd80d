import type { TranscriptionFormat, TranscriptionRequest } from '../../../providers/shared/transcription-request.ts';
import { notSupported, type Capability } from '../capability.ts';
import { readModelName } from '../common-members.ts';
import { parseTranscription, transcriptionMembers } from './parse.ts';
import { TranscriptStream, CompleteTranscript } from './transcript-stream.ts';
import { readTranscriptionAnswer } from './transcription-answer.ts';
import { transcriptionUsage } from './transcription-usage.ts';

/** What of a request its bill and its answer depend on. */
export interface TranscriptionFacts {
  readonly format: TranscriptionFormat;
  /** Of the file. */
  readonly seconds: number;
}

/** Speech to text: OpenAI's `POST /v1/audio/transcriptions`; and into English, `POST /v1/audio/translations`. */
export function transcription(
  task: TranscriptionRequest['task'],
): Capability<TranscriptionRequest, TranscriptionFacts> {
  return {
    name: 'transcription',
    members: transcriptionMembers[task],
    modelName: readModelName,
    parse: (fields) => parseTranscription(task, fields),
    facts: ({ response_format, durationSeconds }) => ({ format: response_format ?? 'json', seconds: durationSeconds }),
    streamed: isStreamed,
    wantsUsage: () => true,
    // What is heard is not known before. What it costs is: the seconds.
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
    readAnswer: readTranscriptionAnswer,
    /** What was sent is heard, whether or not its caller waits. */
    usageWithoutResponse: ({ seconds }, _inputTokens, pricing) => transcriptionUsage(seconds, null, 0, pricing).usage,
  };
}

/** OpenAI ignores it for its oldest model, and with it for the formats that only that one has. */
function isStreamed({ stream, model, response_format: format }: TranscriptionRequest): boolean {
  const isWhisper = typeof model === 'string' && /(^|\/)whisper-1$/.test(model);
  return stream === true && !isWhisper && format !== 'srt' && format !== 'vtt' && format !== 'verbose_json';
}
