import { SluiceError, toSluiceError } from '../../errors/index.ts';
import type { RequestDependencies, OpenRequest } from '../call.ts';
import { readModerationResults } from '../capabilities/moderation/moderation-answer.ts';
import { moderation } from '../capabilities/moderation/moderation.ts';
import { newEventIds } from '../event-id.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import type { ClientResponse } from '../client-response.ts';
import type { ModerationSettings } from '../keys/moderation-settings.ts';
import { splitTexts, type ModerationInput } from '../capabilities/moderation-support.ts';
import type { RequestSpan } from '../telemetry/request-span.ts';
import { withoutSlots } from '../limits/limit-store.ts';
import { tryParse } from '../json-text.ts';

/** Timeout of a check in milliseconds; shorter where it does not block. */
const CHECK_TIMEOUT_MS = { block: 30_000, annotate: 5_000 } as const;
/** Errors of the key's own limits, which are not failures of the model. */
const ownLimits = new Set(['rate_limit_requests', 'rate_limit_tokens', 'tokens_above_limit', 'insufficient_quota']);

/** Keys for requests on behalf of another one, whose slot is reserved already. */
const innerKeys = new WeakMap<KeyRecord, KeyRecord>();

/** Calls moderation models, each time by a request of the same key. */
export class Moderator {
  readonly #dependencies: RequestDependencies;
  readonly #key: KeyRecord;
  readonly #span: RequestSpan | undefined;
  readonly #cancels = new Set<() => void>();

  /** @param span of the request that is moderated; absent where telemetry is off */
  constructor(dependencies: RequestDependencies, key: KeyRecord, span?: RequestSpan) {
    this.#dependencies = dependencies;
    this.#span = span;
    this.#key = innerKey(key);
  }

  /** @returns the flagged categories @throws SluiceError moderation_unavailable, or the exceeded limit of the key */
  async moderate(settings: ModerationSettings, { texts, images }: ModerationInput): Promise<readonly string[]> {
    const pieces = splitTexts(texts);
    // OpenAI accepts one image per request, and a text beside it would be moderated twice.
    const inputs: readonly unknown[] = [
      ...(pieces.length === 0 ? [] : [pieces]),
      ...images.map((url) => [{ type: 'image_url', image_url: { url } }]),
    ];
    const found = await Promise.all(inputs.map((input) => this.#request(settings, input)));
    return [...new Set(found.flat())];
  }

  /** Cancels open checks. */
  end(): void {
    for (const cancel of this.#cancels) cancel();
  }

  async #request(settings: ModerationSettings, input: unknown): Promise<readonly string[]> {
    const { model, action } = settings;
    let answer: Buffer;
    try {
      answer = await this.#responseTo(
        settings,
        Buffer.from(JSON.stringify({ model, input })),
        CHECK_TIMEOUT_MS[action],
      );
    } catch (error) {
      const cause = toSluiceError(error);
      throw cause.upstream === undefined && ownLimits.has(cause.code) ? cause : unavailable(model, cause);
    }
    const results = readModerationResults(tryParse(answer.toString()));
    if (results === null) throw unavailable(model, new SluiceError('internal_error'));
    return results.flatMap(({ flagged, categories }) =>
      flagged ? (categories.length === 0 ? ['unnamed'] : categories) : [],
    );
  }

  #responseTo({ operators }: ModerationSettings, body: Buffer, withinMs: number): Promise<Buffer> {
    const { clock } = this.#dependencies;
    return new Promise((resolve, reject) => {
      let openRequest: OpenRequest | null = null;
      const cancel = (): void => {
        stopWaiting();
        openRequest?.onClientDisconnect();
      };
      const stopWaiting = (): void => {
        timer.cancel();
        this.#cancels.delete(cancel);
      };
      const timer = clock.setTimeout(() => {
        cancel();
        reject(new Error(`no response within ${withinMs} ms`));
      }, withinMs);
      this.#cancels.add(cancel);
      const clientResponse = collect(
        (bytes) => {
          stopWaiting();
          resolve(bytes);
        },
        (error) => {
          stopWaiting();
          reject(error);
        },
      );
      const [ids, startedAt] = [newEventIds(), clock.monotonic()];
      const call = {
        ...ids,
        key: this.#key,
        startedAt,
        response: clientResponse,
        cacheMs: 0,
        tags: null,
        watch: null,
        span: this.#span?.startChild(),
        asOperator: operators,
      };
      openRequest = this.#dependencies.runNested(moderation, call, body);
    });
  }
}

function innerKey(key: KeyRecord): KeyRecord {
  let inner = innerKeys.get(key);
  if (inner === undefined) {
    const plan = Object.freeze({ ...key.plan, capabilities: null, models: null });
    inner = Object.freeze({
      ...key,
      ...withoutSlots(key),
      allowedModels: null,
      modelAliases: undefined,
      moderation: null,
      plan,
    });
    innerKeys.set(key, inner);
  }
  return inner;
}

function collect(done: (bytes: Buffer) => void, failed: (error: Error) => void): ClientResponse {
  const parts: Buffer[] = [];
  return {
    head: () => undefined,
    write: (bytes) => parts.push(bytes) > 0,
    end: (bytes) => done(bytes === null ? Buffer.concat(parts) : Buffer.concat([...parts, bytes])),
    fail: failed,
    abort: () => failed(new Error('the response was aborted')),
  };
}

function unavailable(model: string, cause: SluiceError): SluiceError {
  return new SluiceError('moderation_unavailable', { values: { model }, retryAfterMs: 1_000, cause });
}
