import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { BackgroundRuns } from '../../gateway/capabilities/responses/background/background-runs.ts';
import type { Pipeline } from '../../gateway/pipeline.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import { ChangeSignal } from '../../live/change-signal.ts';
import { EarlierItems } from '../../gateway/capabilities/responses/earlier-items.ts';
import { responseNames as names } from '../../services/responses/response-id.ts';
import { ResponseSweep } from '../../services/responses/jobs.ts';
import { ConversationsService } from '../../services/conversations/conversations.service.ts';
import type { ChatCompletionsService } from '../../services/chat-completions/chat-completions.service.ts';
import { ProviderObjectsService } from '../../services/provider-objects/provider-objects.service.ts';
import { ResponsesService } from '../../services/responses/responses.service.ts';

export interface ResponsesOptions {
  readonly database: Database;
  readonly pipeline: Pipeline;
  readonly jobs: JobQueue;
  /** Stored by the pipeline. */
  readonly chatCompletions: ChatCompletionsService;
  readonly log: Pick<Logger, 'warn'>;
}

export interface WiredResponses {
  readonly responses: ResponsesService;
  readonly objects: ProviderObjectsService;
  readonly conversations: ConversationsService;
  readonly chatCompletions: ChatCompletionsService;
  readonly earlier: EarlierItems;
  readonly runs: BackgroundRuns;
  /** Resumes jobs of an earlier process. Call it after the job queue has started. */
  resume(): Promise<void>;
  /** Waits until completed responses are stored. Call it after the pipeline has stopped. */
  stop(): Promise<void>;
}

/** Wires stored and background responses, and what is stored with them. Call it before the job queue starts. */
export function wireResponses({ database, pipeline, jobs, chatCompletions, log }: ResponsesOptions): WiredResponses {
  const changes = new ChangeSignal();
  const changed = (id: string): void => changes.notify(id);
  const responses = new ResponsesService({ database, changes, log });
  const objects = new ProviderObjectsService({ database, log });
  const conversations = new ConversationsService({ database, log });
  const runs = new BackgroundRuns({ pipeline, store: responses, names, onChange: changed, log });
  const sweep = new ResponseSweep(jobs, { database, onChanged: changed, stores: [objects, chatCompletions] });
  return {
    responses,
    objects,
    conversations,
    chatCompletions,
    earlier: new EarlierItems(responses, names),
    runs,
    resume: () => sweep.resume(database.kind === 'embedded'),
    stop: async () => {
      await runs.stop();
      await Promise.all([responses.close(), objects.close(), conversations.close(), chatCompletions.close()]);
    },
  };
}
