/**
 * The sandbox: an offline provider, not an AI model, never billed. Its responses have OpenAI's wire format to the byte
 * and are a pure function of the request: the same messages, tools and `seed` give the same text (only `id` and
 * `created` differ), and beside it the stop sequence that ended a text, as vLLM's have. It quotes the user's message, and supports max tokens, stop, n, tools and tool_choice,
 * response_format, logprobs, reasoning_effort and modalities.
 *
 * The length of a response: a few sentences, or what the user's last message requests ("in 200 words", "500 tokens",
 * "12 sentences", "3 paragraphs"), limited by max_completion_tokens or max_tokens, and at most 8,192 tokens over all
 * choices. For a stream of N tokens in a load test request "N tokens" or set max_tokens below the requested length.
 *
 * Under tool_choice `auto` a tool is called when the user's last message contains its name or the words of it
 * ("weather" for `get_weather`); after a tool's result the response is text that quotes it.
 */
import { hash } from 'node:crypto';
import { systemClock, unixSeconds, type Clock } from '../../calendar/clock.ts';
import type { ChatRequestContext, Connection, UpstreamReceiver } from '../contract.ts';
import type { GenerationRequest } from '../../protocols/canonical/generation-request.ts';
import { refuseOrDrop } from '../../protocols/canonical/parameter-policy.ts';
import { AnswerPump } from './chat/answer-pump.ts';
import { answerChat } from './chat/answer.ts';
import { countChatTokens } from './chat/count-chat-tokens.ts';
import { chatDocument } from './chat/chat-document.ts';
import { readChatRequest } from './chat/chat-request.ts';
import { chatStream } from './chat/chat-stream.ts';
import { sandboxEmbeddings, SANDBOX_EMBEDDING_MODEL } from './embeddings.ts';
import { sandboxImages, SANDBOX_IMAGE_MODEL } from './image/images.ts';
import { requireModel } from './models.ts';
import { sandboxModeration, SANDBOX_MODERATION_MODEL } from './moderation/moderation.ts';
import { sandboxRerank, SANDBOX_RERANK_MODEL } from './rerank.ts';
import { sandboxSpeech, SANDBOX_SPEECH_MODEL } from './speech/speech.ts';
import { sandboxTranscription, SANDBOX_TRANSCRIPTION_MODEL } from './transcription.ts';
import { sandboxVideo, SANDBOX_VIDEO_MODEL } from './video/video.ts';
import type { Envelope, Piece } from './wire.ts';

const SANDBOX_CHAT_MODEL = 'chat';

export interface SandboxOptions {
  /** The pace of its responses; 0 for no delay. */
  readonly tokensPerSecond: number;
  readonly clock?: Clock;
}

export function createSandboxConnection({ tokensPerSecond, clock = systemClock }: SandboxOptions): Connection {
  return {
    id: 'sandbox',
    provider: 'sandbox',
    billed: false,
    servesOnlyListedModels: true,
    services: {
      embeddings: sandboxEmbeddings(clock),
      rerank: sandboxRerank(clock),
      moderation: sandboxModeration(clock),
      speech: sandboxSpeech(tokensPerSecond, clock),
      transcription: sandboxTranscription(tokensPerSecond, clock),
      images: sandboxImages,
      video: sandboxVideo,
    },
    chat(context, receiver) {
      const dropped = refuseOrDrop('sandbox', notOffered(context.outline ?? context.request), context.parameters);
      const pump = new AnswerPump(receiver, tokensPerSecond, clock);
      receiver.onConnecting(pump);
      pump.start(() => startAnswer(context, receiver));
      return dropped;
    },
    // It is offline: an attachment of any size has the same tokens, and its content is not read.
    fetchedMedia: () => ['image', 'document'],
    // As the requests themselves are counted.
    countTokens(protocol, { model, body }) {
      requireModel(model, SANDBOX_CHAT_MODEL);
      const counted = countChatTokens(protocol, body);
      return counted && Promise.resolve(counted);
    },
    listModels: () =>
      Promise.resolve([
        SANDBOX_CHAT_MODEL,
        SANDBOX_IMAGE_MODEL,
        SANDBOX_EMBEDDING_MODEL,
        SANDBOX_RERANK_MODEL,
        SANDBOX_MODERATION_MODEL,
        SANDBOX_SPEECH_MODEL,
        SANDBOX_TRANSCRIPTION_MODEL,
        SANDBOX_VIDEO_MODEL,
      ]),
    close: () => Promise.resolve(),
  };
}

/** Requested features that no offline model has. */
function notOffered({ store, moderation }: GenerationRequest): string[] {
  return [...(store === true ? ['store'] : []), ...(moderation == null ? [] : ['moderation'])];
}

/**
 * Sends the head.
 * @throws SluiceError where the request is rejected
 */
function startAnswer(context: ChatRequestContext, receiver: UpstreamReceiver): Iterator<Piece> {
  const { contentType, body } = prepareAnswer(context);
  receiver.onHead(200, { 'content-type': contentType });
  return body;
}

function prepareAnswer(context: ChatRequestContext): {
  readonly contentType: string;
  readonly body: Iterator<Piece>;
} {
  requireModel(context.model, SANDBOX_CHAT_MODEL);
  const request = readChatRequest(context.request);
  const answer = answerChat(request);
  const envelope: Envelope = {
    id: `chatcmpl-${hash('sha256', context.requestId).slice(0, 29)}`,
    created: unixSeconds(),
    model: context.model,
    topLogprobs: request.logprobs ? (request.top_logprobs ?? 0) : null,
  };
  return context.stream
    ? { contentType: 'text/event-stream; charset=utf-8', body: chatStream(answer, envelope) }
    : { contentType: 'application/json', body: chatDocument(answer, envelope) };
}
