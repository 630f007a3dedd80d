import type { Services } from '../../contract.ts';
import type { HttpUpstream } from '../http/http-upstream.ts';
import type { JobHttp } from '../jobs/job-http.ts';
import { sendEmbeddings } from './embeddings.ts';
import { sendImages } from './images.ts';
import { sendModeration } from './moderation.ts';
import { sendRerank } from './rerank.ts';
import { sendSpeech } from './speech.ts';
import { sendTranscription } from './transcription.ts';
import { openAiVideo } from './video.ts';

/** Where a server of OpenAI's shape is asked. */
export interface ServiceClient {
  readonly provider: string;
  readonly upstream: HttpUpstream;
  /** For jobs. */
  readonly jobs: JobHttp;
  /** Whole path of an endpoint for a model, its query included. */
  path(endpoint: string, model: string): string;
}

export type ServiceName = keyof Services;

/** The named services, by OpenAI's own endpoints. */
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
