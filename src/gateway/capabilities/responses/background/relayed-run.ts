import { hasString } from '../../../../providers/shared/json/strings/long-strings.ts';
import { unixSeconds } from '../../../../calendar/clock.ts';
import { SluiceError } from '../../../../errors/index.ts';
import { isObject, textIn, type JsonObject } from '../../../../protocols/canonical/json-members.ts';
import { requireStored } from '../../../../protocols/responses/decode-request.ts';
import { RecordedEvents } from '../../../../protocols/responses/recorded/recorded-events.ts';
import { queuedSettings } from '../../../../protocols/responses/response-settings.ts';
import type { HeaderMap } from '../../../../providers/contract.ts';
import { withMembers } from '../../../../providers/shared/http/request-body.ts';
import type { RequestInput } from '../../../request-input.ts';
import { tryParse } from '../../../json-text.ts';
import type { ResponseCall } from '../open-response.ts';
import type { ProviderCopy } from '../provider-copies.ts';
import { relayable, type RelayDependencies } from '../relay/relayable-request.ts';
import { openRecorded, type RelayableRequest } from '../relay/relayed-response.ts';
import { RecordedResponse } from './recorded-response.ts';
import { repeatableRequest } from './repeatable-request.ts';
import type { PreparedRun, RunContext, RunRequest } from './run-request.ts';
import type { NewResponse, RepeatableRequest } from './run-store.ts';

/** Sluice queues and stores the response: its provider streams it. */
const sentMembers = { background: null, stream: 'true' } as const;

/**
 * A background request as a provider of its protocol may receive it; null for another request, and where it is converted.
 * @throws SluiceError as `relayable`, and invalid_value | zero_retention for one that cannot be stored
 */
export async function relayableRun(
  deps: RelayDependencies,
  call: ResponseCall,
  headers: HeaderMap,
  body: RequestInput,
): Promise<RelayedRun | null> {
  if (!mayRunInBackground(body)) return null;
  const value = tryParse(body.toString());
  if (!isObject(value) || value.background !== true) return null;
  const relayed = await relayable(deps, call, headers, withMembers(body, sentMembers));
  if (relayed === null) return null;
  requireStored(value);
  if (call.key.zeroRetention === true)
    throw new SluiceError('zero_retention', {
      param: 'background',
      values: { what: 'A background response', next: 'Omit `background`.' },
    });
  return new RelayedRun(relayed, value);
}

/** Most requests have no such member: they are parsed once, later. */
export function mayRunInBackground(body: RequestInput): body is Buffer {
  return Buffer.isBuffer(body) && hasString(body, '"background"');
}

/** A request that each provider of its protocol receives as it is. */
export class RelayedRun implements RunRequest {
  readonly dropped = [];
  readonly #request: RelayableRequest<ResponseCall>;
  readonly #value: JsonObject;

  /** @param value the client's body */
  constructor(request: RelayableRequest<ResponseCall>, value: JsonObject) {
    this.#request = request;
    this.#value = value;
  }

  get model(): string {
    return textIn(this.#value, 'model');
  }

  get isStreamed(): boolean {
    return this.#value.stream === true;
  }

  /** What is stored of it apart. */
  get stored(): Pick<NewResponse, 'input' | 'previousId'> {
    return this.#request.stored;
  }

  repeatable(call: ResponseCall): RepeatableRequest {
    return { ...repeatableRequest(call, this.#value), headers: this.#request.headers };
  }

  prepare({ pipeline, names, call, repeated }: RunContext): PreparedRun {
    const id = repeated?.id ?? call.eventId;
    const own = {
      id: names.response(id),
      created_at: repeated?.createdAt ?? unixSeconds(),
      background: true,
      store: true,
      ...(this.#request.continues !== null && { previous_response_id: this.#request.continues }),
    };
    const events = new RecordedEvents(queuedSettings(this.#value), own, repeated?.nextSequence);
    let copy = (): ProviderCopy | null => null;
    return {
      events,
      open: (sink) => {
        const response = new RecordedResponse(sink, events);
        const request = { ...this.#request, call: { ...this.#request.call, response } };
        const opened = openRecorded(pipeline, request, id);
        copy = opened.copy;
        return opened.openRequest;
      },
      copy: () => copy(),
    };
  }
}
