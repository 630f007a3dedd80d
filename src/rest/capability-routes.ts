import type { RequestHandler } from 'express';
import { completionsProtocol } from '../gateway/capabilities/completions/completions-protocol.ts';
import { textRoute } from './text-route.ts';
import { openChat } from '../gateway/capabilities/chat/open-chat.ts';
import { chatForm, foreignForm } from '../gateway/capabilities/chat/foreign/foreign-form.ts';
import { openText } from '../gateway/capabilities/text/open-text.ts';
import { embeddings } from '../gateway/capabilities/embeddings/embeddings.ts';
import { images } from '../gateway/capabilities/images/images.ts';
import { moderation } from '../gateway/capabilities/moderation/moderation.ts';
import { rerank } from '../gateway/capabilities/rerank/rerank.ts';
import { speech } from '../gateway/capabilities/speech/speech.ts';
import { transcription } from '../gateway/capabilities/transcription/transcription.ts';
import { capabilityRoute, pipelineRoute, readJson, type CapabilityRouteDependencies } from './capability-route.ts';
import { inputTokensRoute } from './responses/input-tokens.ts';
import type { ResponseRouteDependencies } from './responses/route-dependencies.ts';
import { countTokensRoute, messagesRoute } from './messages/messages-route.ts';
import { readImages } from './body/read-images.ts';
import { readRecording } from './body/read-recording.ts';

/** `POST` handlers by path under `/v1`. They authenticate and write their own headers. */
export interface CapabilityRoutes extends Readonly<Record<string, RequestHandler>> {
  readonly '/chat/completions': RequestHandler;
  readonly '/messages': RequestHandler;
  readonly '/rerank': RequestHandler;
}

const asChat = { headers: [], query: '', isNativeAllowed: false };

/** The REST routes of all capabilities. @param responses absent without a database */
export function buildCapabilityRoutes(
  deps: CapabilityRouteDependencies,
  responses?: ResponseRouteDependencies,
): CapabilityRoutes {
  return {
    '/chat/completions': pipelineRoute(deps, readJson, (_request, call, input) => {
      const form = foreignForm(input);
      if (form === null) return openChat(deps, call, input);
      const seal = deps.pipeline.dependencies.seals.of(call.key.accountId);
      return openText(deps, chatForm(form, seal), asChat, call, input);
    }),
    '/responses/input_tokens': inputTokensRoute(deps, responses),
    '/messages': messagesRoute(deps),
    '/messages/count_tokens': countTokensRoute(deps),
    '/completions': textRoute(deps, completionsProtocol, () => ({ headers: [], query: '' })),
    '/embeddings': capabilityRoute(deps, embeddings),
    '/audio/speech': capabilityRoute(deps, speech),
    '/audio/transcriptions': capabilityRoute(deps, transcription('transcribe'), readRecording(deps.uploads)),
    '/audio/translations': capabilityRoute(deps, transcription('translate'), readRecording(deps.uploads)),
    '/rerank': capabilityRoute(deps, rerank),
    '/images/generations': capabilityRoute(deps, images('generation', deps.media)),
    '/images/edits': capabilityRoute(deps, images('edit', deps.media), readImages(deps.uploads)),
    '/images/variations': capabilityRoute(deps, images('variation', deps.media), readImages(deps.uploads)),
    '/moderations': capabilityRoute(deps, moderation),
  };
}
