import type { Logger } from 'pino';
import { systemClock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { BackgroundRuns } from '../../gateway/capabilities/responses/background/background-runs.ts';
import { RunRepeater } from '../../gateway/capabilities/responses/background/run-repeater.ts';
import type { NewResponse } from '../../gateway/capabilities/responses/background/run-store.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { ObjectReach } from '../../gateway/keys/object-reach.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import { ChangeSignal } from '../../live/change-signal.ts';
import { ProviderCopies } from '../../gateway/capabilities/responses/provider-copies.ts';
import { EarlierItems } from '../../gateway/capabilities/responses/earlier-items.ts';
import { StoredAbandonedRuns } from '../../services/responses/abandoned-runs.ts';
import { responseNames as names } from '../../services/responses/response-id.ts';
import { ResponseSweep } from '../../services/responses/jobs.ts';
import { ConversationsService } from '../../services/conversations/conversations.service.ts';
import type { ChatCompletionsService } from '../../services/chat-completions/chat-completions.service.ts';
import { ProviderObjectsService } from '../../services/provider-objects/provider-objects.service.ts';
import { ResponsesService } from '../../services/responses/responses.service.ts';
import type { Callers } from '../../services/authorization/callers.ts';
import type { WiredGateway } from '../gateway/wire-gateway.ts';
import { storedKeys } from './stored-keys.ts';

export interface ResponsesOptions {
  readonly callers: Callers;
  readonly jobs: JobQueue;
  readonly log: Pick<Logger, 'warn'>;
}

export interface WiredResponses {
  readonly responses: ResponsesService;
  readonly objects: ProviderObjectsService;
  readonly conversations: ConversationsService;
  readonly chatCompletions: ChatCompletionsService;
  readonly earlier: EarlierItems;
  readonly runs: Pick<BackgroundRuns, 'start' | 'cancel'>;
  /** Runs responses of an earlier process again. Call it after its usage was stored. */
  resume(): Promise<void>;
  /** Repeats no more responses. Call it before the pipeline stops. */
  beginStop(): Promise<void>;
  /** Waits until completed responses are stored. Call it after the pipeline has stopped. */
  stop(): Promise<void>;
}

/** Wires stored and background responses, and what is stored with them. Call it before the job queue starts. */
export function wireResponses(database: Database, gateway: WiredGateway, options: ResponsesOptions): WiredResponses {
  const { pipeline, chatCompletions } = gateway;
  const { callers, jobs, log } = options;
  const startedAt = new Date(systemClock.now());
  const changes = new ChangeSignal();
  const changed = (id: string): void => changes.notify(id);
  const objects = new ProviderObjectsService({ database, log });
  const copies = new ProviderCopies({ connections: gateway.router, objects, log });
  const responses = new ResponsesService({ database, changes, log, copies });
  const conversations = new ConversationsService({ database, log });
  const runs = new BackgroundRuns({ pipeline, store: responses, names, onChange: changed, log });
  const earlier = new EarlierItems(responses, names);
  const reachOf = (key: KeyRecord): Promise<ObjectReach> => callers.reachOf(key, 'responses.read');
  const store = (response: NewResponse): void => responses.storeSoon(response);
  const abandoned = new StoredAbandonedRuns(database);
  const repeater = new RunRepeater({
    runs,
    store: {
      claim: (leaseMs, running, eventId) => abandoned.claim(leaseMs, running, eventId),
      fail: (run, error) => abandoned.fail(run, error),
      release: (run, delayMs, isCounted) => responses.release(run, delayMs, isCounted),
    },
    keys: storedKeys(gateway, callers),
    earlier,
    names,
    reachOf,
    relaying: { pipeline, objects, names, earlier, reachOf, store },
    onChange: changed,
    log,
  });
  // It defines its job.
  void new ResponseSweep(jobs, { database, stores: [objects, chatCompletions] });
  return {
    responses,
    objects,
    conversations,
    chatCompletions,
    earlier,
    runs: {
      start: (call, request, stored) => runs.start(call, request, stored),
      cancel: (id) => {
        runs.cancel(id);
        // It may wait for a process.
        repeater.look();
      },
    },
    resume: async () => {
      // The embedded database is only open in this process.
      if (database.kind === 'embedded') await abandoned.endLeases(startedAt);
      repeater.start();
    },
    beginStop: () => repeater.stop(),
    stop: async () => {
      await runs.stop();
      copies.close();
      await Promise.all([responses.close(), objects.close(), conversations.close(), chatCompletions.close()]);
    },
  };
}
