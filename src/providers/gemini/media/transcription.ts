import { Readable } from 'node:stream';
import { SluiceError } from '../../../errors/index.ts';
import type { CallContext, Send } from '../../contract.ts';
import { answerPromise } from '../../shared/http/answer-promise.ts';
import { collected } from '../../shared/chat/collected-answer.ts';
import type { FormBody } from '../../shared/http/form-body.ts';
import type { HttpUpstream } from '../../shared/http/http-upstream.ts';
import { parsedAnswer } from '../../shared/http/posted-json.ts';
import { listOf, objectOf, textOf, type JsonObject } from '../../../protocols/canonical/json-members.ts';
import { renderTranscript } from '../../shared/media/render-transcript.ts';
import type { Transcript } from '../../shared/media/transcript.ts';
import { unsupportedTranscriptionParameters } from '../../shared/media/transcription-parameters.ts';
import type { TranscriptionRequest } from '../../shared/media/transcription-request.ts';
import type { UploadedFile } from '../../shared/http/uploaded-file.ts';
import { reportedWithin } from '../../shared/http/upstream-error.ts';
import { chatUsage } from '../../../protocols/gemini/usage.ts';

/** The placeholder of the recording in the body's JSON. */
const RECORDING = 'recording in base64';

/** Google's names of media types that have several names. */
const mimeTypes: Readonly<Record<string, string>> = {
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-m4a': 'audio/m4a',
  'audio/mp4': 'audio/m4a',
  'audio/x-flac': 'audio/flac',
  'video/webm': 'audio/webm',
};
const byExtension: Readonly<Record<string, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mp3',
  mpga: 'audio/mp3',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  m4a: 'audio/m4a',
  mp4: 'audio/m4a',
  webm: 'audio/webm',
  aac: 'audio/aac',
  aiff: 'audio/aiff',
};

/**
 * Transcripts by a Gemini model that is instructed to write down what it hears. Its timestamps are not reliable, so
 * formats with timestamps are not offered. The recording is encoded as base64 while it is sent: requests of up to 100
 * MB may contain one. Source: ai.google.dev/gemini-api/docs/audio; blog.google, Increased file size limits.
 */
export function geminiTranscription(
  provider: string,
  upstream: HttpUpstream,
  resourceName: (model: string) => string,
): Send<TranscriptionRequest> {
  return (context, receiver) => {
    const { model, request, stream } = context;
    const parameters = ['language', 'languages', 'keywords', 'prompt', 'temperature'];
    const dropped = unsupportedTranscriptionParameters(provider, context, {
      parameters,
      times: 'none',
      translates: true,
    });
    const path = upstream.path(`/${resourceName(model)}:generateContent`);
    answerPromise(receiver, async (signal) => {
      const answer = await collected(provider, signal, (own) => upstream.postBytes(path, bodyOf(context), own));
      const transcript = readTranscript(provider, objectOf(parsedAnswer(provider, answer.body)) ?? {});
      return renderTranscript(transcript, request, stream);
    });
    return dropped;
  };
}

function bodyOf({ request }: CallContext<TranscriptionRequest>): FormBody {
  const { file, temperature } = request;
  const json = JSON.stringify({
    contents: [
      {
        role: 'user',
        parts: [{ inlineData: { data: RECORDING, mimeType: mimeTypeOf(file) } }, { text: instruction(request) }],
      },
    ],
    ...(temperature != null && { generationConfig: { temperature } }),
  });
  const [before, after] = splitAtFirst(json, RECORDING);
  const length = Buffer.byteLength(before) + Math.ceil(file.size / 3) * 4 + Buffer.byteLength(after);
  const bytes = inBase64(file, before, after);
  return { contentType: 'application/json', length, stream: Readable.from(bytes, { objectMode: false }) };
}

/** Sluice's instruction comes first; the client's prompt follows it. */
function splitAtFirst(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return [text.slice(0, at), text.slice(at + mark.length)];
}

async function* inBase64(file: UploadedFile, before: string, after: string): AsyncGenerator<Buffer> {
  yield Buffer.from(before);
  let left = Buffer.alloc(0);
  for await (const chunk of file.open()) {
    const bytes = left.length === 0 ? Buffer.from(chunk) : Buffer.concat([left, chunk]);
    // Three bytes become four characters: the remainder waits for the next chunk.
    const whole = bytes.length - (bytes.length % 3);
    yield Buffer.from(bytes.toString('base64', 0, whole), 'latin1');
    left = bytes.subarray(whole);
  }
  yield Buffer.from(left.toString('base64'), 'latin1');
  yield Buffer.from(after);
}

function instruction({ task, language, languages, keywords, prompt }: TranscriptionRequest): string {
  const languageHints = language != null && language !== '' ? [language] : Array.isArray(languages) ? languages : [];
  const sentences = [
    task === 'translate'
      ? 'Write down in English what is said in this recording, translated word for word.'
      : 'Write down word for word what is said in this recording, in the language in which it is said.',
    'Answer with that text alone: no times, no names of speakers, nothing of your own. Where nothing is said, answer with nothing.',
  ];
  if (languageHints.length > 0) sentences.push(`What is spoken: ${languageHints.join(', ')}.`);
  if (Array.isArray(keywords) && keywords.length > 0) sentences.push(`Words that may come up: ${keywords.join(', ')}.`);
  if (prompt != null && prompt !== '') sentences.push(`What came before, or how names are spelt: ${prompt}`);
  return sentences.join('\n');
}

function mimeTypeOf({ contentType, filename }: UploadedFile): string {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const ending = /\.([a-z0-9]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? '';
  if (/^(audio|video)\//.test(type)) return mimeTypes[type] ?? type;
  return byExtension[ending] ?? 'audio/wav';
}

/** @throws SluiceError provider_* */
function readTranscript(provider: string, answer: JsonObject): Transcript {
  const candidate = objectOf(listOf(answer.candidates)[0]);
  const reason = textOf(objectOf(answer.promptFeedback)?.blockReason) ?? textOf(candidate?.finishReason);
  if (candidate === null || (reason !== null && reason !== 'STOP' && reason !== 'MAX_TOKENS')) {
    if (reason === null)
      throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no transcript' });
    const message = `The provider ${provider} did not write the recording down: ${reason}`;
    throw reportedWithin(provider, { message, type: null, code: 'content_filter', status: 400 });
  }
  const parts = listOf(objectOf(candidate.content)?.parts).map((part) => objectOf(part));
  const texts = parts.flatMap((part) => (part?.thought === true ? [] : [textOf(part?.text) ?? '']));
  const used = chatUsage(answer.usageMetadata);
  return { text: texts.join(''), ...(used !== null && { usage: usageOf(used) }) };
}

function usageOf(used: NonNullable<ReturnType<typeof chatUsage>>): Readonly<Record<string, unknown>> {
  const { inputTokens, outputTokens, audioInputTokens = 0 } = used;
  return {
    type: 'tokens',
    input_tokens: inputTokens,
    input_token_details: { text_tokens: inputTokens - audioInputTokens, audio_tokens: audioInputTokens },
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}
