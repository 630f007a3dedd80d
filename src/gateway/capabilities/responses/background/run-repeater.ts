import { systemClock, type Clock, type Timer } from '../../../../calendar/clock.ts';
import { SluiceError, toSluiceError } from '../../../../errors/index.ts';
import { membersOf } from '../../../../protocols/canonical/json-members.ts';
import type { HeaderMap } from '../../../../providers/contract.ts';
import { newEventIds, requestIdOf } from '../../../event-id.ts';
import type { KeyRecord } from '../../../keys/key-directory.ts';
import type { ObjectReach } from '../../../keys/object-reach.ts';
import type { EarlierItems } from '../earlier-items.ts';
import type { ResponseCall } from '../open-response.ts';
import { decodeConversationItems } from '../conversation-body.ts';
import { readResponsesRequest } from '../parse.ts';
import type { RelayDependencies } from '../relay/relayable-request.ts';
import { responseError } from '../response-object.ts';
import type { ResponseNames } from '../response-names.ts';
import { LEASE_MS, type BackgroundRuns } from './background-runs.ts';
import { ConvertedRun } from './converted-run.ts';
import { relayableRun } from './relayed-run.ts';
import { delayBeforeRepeat } from './repeat-policy.ts';
import type { RunRequest } from './run-request.ts';
import type { AbandonedRun, AbandonedRuns, RepeatableRequest, RunStore } from './run-store.ts';

const POLL_INTERVAL_MS = 5_000;
/** Repeated runs of this process at the same time: a start does not repeat all of them at once. */
const MAX_RUNS = 32;

/** Finds the current key of a run. */
export interface RunKeys {
  /** @throws SluiceError invalid_api_key | expired_api_key | account_deleted | forbidden | database_unavailable */
  find(owner: AbandonedRun['key'] & Pick<RepeatableRequest, 'isBySession'>): Promise<KeyRecord>;
}

export interface RunRepeaterDependencies {
  readonly runs: Pick<BackgroundRuns, 'ids' | 'repeat'>;
  readonly store: AbandonedRuns & Pick<RunStore, 'release'>;
  readonly keys: RunKeys;
  readonly earlier: Pick<EarlierItems, 'conversation'>;
  readonly names: ResponseNames;
  readonly reachOf: (key: KeyRecord) => Promise<ObjectReach>;
  readonly relaying: RelayDependencies;
  /** Called after each change, with the response's id. */
  readonly onChange: (id: string) => void;
  readonly log: { warn(fields: object, message: string): void };
  /** The system clock if absent. */
  readonly clock?: Clock;
}

/** Runs background responses again whose process has ended, each in one process. */
export class RunRepeater {
  readonly #dependencies: RunRepeaterDependencies;
  readonly #clock: Clock;
  #timer: Timer | null = null;
  #claiming: Promise<void> | null = null;
  #running = 0;
  #isStopping = false;

  constructor(dependencies: RunRepeaterDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
  }

  start(): void {
    if (this.#isStopping) return;
    this.#timer ??= this.#clock.setInterval(() => this.look(), POLL_INTERVAL_MS).unref();
    this.look();
  }

  /** Looks for responses to run. */
  look(): void {
    if (this.#isStopping || this.#timer === null) return;
    this.#claiming ??= this.#claim().finally(() => (this.#claiming = null));
  }

  /** Runs no more. Call it before the pipeline stops. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#timer?.cancel();
    await this.#claiming;
  }

  async #claim(): Promise<void> {
    const { runs, store, onChange, log } = this.#dependencies;
    try {
      while (!this.#isStopping && this.#running < MAX_RUNS) {
        const claimed = await store.claim(LEASE_MS, runs.ids, newEventIds().eventId);
        if (claimed === null) return;
        if (claimed.run === null) onChange(claimed.id);
        else await this.#repeat(claimed.run);
      }
    } catch (err) {
      log.warn({ err }, 'looking for abandoned background responses failed; retrying');
    }
  }

  async #repeat(run: AbandonedRun): Promise<void> {
    const { store, onChange, log, runs } = this.#dependencies;
    try {
      const call = await this.#callOf(run);
      const request = await this.#requestOf(run, call);
      const { id, nextSequence, response } = run;
      const over = runs.repeat(run, call, request, { id, nextSequence, createdAt: Number(response.created_at) });
      log.warn({ response: id }, 'a background response is run again: its process has ended');
      this.#running++;
      void over.then(() => {
        this.#running--;
        this.look();
      });
    } catch (thrown) {
      const error = toSluiceError(thrown);
      const delay = delayBeforeRepeat(error, true);
      if (delay !== null) return store.release(run, delay.delayMs, false);
      const { responseCode: code, message } = responseError(error);
      await store.fail(run, { code, message });
      onChange(run.id);
    }
  }

  async #callOf({ id, key, eventId, rerunBeganAt, request }: AbandonedRun): Promise<ResponseCall> {
    const current = await this.#dependencies.keys.find({ ...key, isBySession: request.isBySession });
    if (current.zeroRetention === true)
      throw new SluiceError('zero_retention', {
        param: 'background',
        values: { what: 'A background response', next: 'Omit `background`.' },
      });
    const { sessionId = null, parentId = null, traceId = null } = request.call.trace ?? {};
    return {
      ...request.call,
      key: current,
      eventId,
      requestId: requestIdOf(eventId),
      startedAt: this.#clock.monotonic(),
      // Its usage can be found by the response.
      trace: { sessionId, parentId: parentId ?? requestIdOf(id), traceId },
      watch: null,
      ...(rerunBeganAt !== undefined && { rerunBeganAt }),
    };
  }

  async #requestOf({ previousId, input, request }: AbandonedRun, call: ResponseCall): Promise<RunRequest> {
    const { earlier, names, reachOf, relaying } = this.#dependencies;
    const body = Buffer.from(JSON.stringify({ ...request.body, input }));
    const { headers } = request;
    const relayed = headers === undefined ? null : await relayableRun(relaying, call, headersOf(headers), body);
    if (relayed !== null) return relayed;
    const before =
      previousId === null ? [] : await earlier.conversation(await reachOf(call.key), names.response(previousId));
    const own = readResponsesRequest(body);
    return new ConvertedRun({ ...own, input: [...decodeConversationItems(before.map(membersOf)), ...own.input] });
  }
}

/** @param list names and values in turn */
function headersOf(list: readonly string[]): HeaderMap {
  return Object.fromEntries(list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1] ?? '']] : [])));
}
