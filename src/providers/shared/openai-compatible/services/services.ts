import type { Services } from '../../../contract.ts';
import { sendEmbeddings } from './embeddings.ts';
import { sendImages } from './images.ts';
import { sendModeration } from './moderation.ts';
import { sendRerank } from './rerank.ts';
import type { ServiceClient } from './service-client.ts';
import { sendSpeech } from './speech.ts';
import { sendTranscription } from './transcription.ts';
import { openAiVideo } from './video.ts';

export type ServiceName = keyof Services;

/** The named services, at OpenAI's own endpoints. */
export function openAiServices(names: readonly ServiceName[], client: ServiceClient): Services {
  const has = (name: ServiceName): boolean => names.includes(name);
  return {
    ...(has('embeddings') && { embeddings: sendEmbeddings(client) }),
    ...(has('images') && { images: sendImages(client) }),
    ...(has('moderation') && { moderation: sendModeration(client) }),
    ...(has('rerank') && { rerank: sendRerank(client) }),
    ...(has('speech') && { speech: sendSpeech(client) }),
    ...(has('transcription') && { transcription: sendTranscription(client) }),
    ...(has('video') && { video: openAiVideo({ http: client.jobs, path: client.path }) }),
  };
}
