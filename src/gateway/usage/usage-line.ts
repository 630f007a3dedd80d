import type { RequestOutcome } from './usage-record.ts';
import type { Call } from '../call.ts';
import type { TokenUsage } from '../capabilities/capability.ts';
import { commonMembers, type CommonMembers } from './journal/common-members.ts';
import { references } from './journal/journal-lines.ts';
import type { UsageJournal } from './journal/usage-journal.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import type { RoutingDecision } from '../routing/selection/routing-decision.ts';
import type { Target, ServedRates, TierRates } from '../routing/target.ts';
import { dayMembers } from '../../calendar/usage-day.ts';
import type { MeteredRequest } from './metered-request.ts';
import type { Timing } from './request-times.ts';
import { traceMembers } from './request-trace.ts';
import type { UsageUnits } from './usage-record.ts';
import { jsonMembers } from '../../protocols/canonical/json-members.ts';

/**
 * Members shared by the records of a key, serialised once: serialising them per request is a significant part of its
 * cost.
 */
const membersOfKeys = new WeakMap<KeyRecord, CommonMembers>();
/** Members shared by the records of a target: most requests to it are alike. */
const membersOfTargets = new WeakMap<Target, TargetMembers[]>();
/** Maximum cached kinds of requests per target. */
const MAX_PER_TARGET = 8;

interface TargetMembers extends Pick<MeteredRequest, 'capability' | 'protocol' | 'requestedModel' | 'streamed'> {
  readonly members: CommonMembers;
}

/** The members specific to one request, which follow others. `at` in milliseconds since the epoch. */
export function ownMembers({ key, logged }: Call, at: number, { endUser, tags, trace }: MeteredRequest): string {
  const content = logged === undefined ? '' : `,"content_level":"${logged.level}"`;
  const began = `,"began_at":"${isoTime(at)}Z"${dayMembers(key.timeZone, at)}${content}`;
  if (endUser === null && tags === null && trace === null) return began;
  // Rare members are omitted rather than null.
  const user = endUser === null ? '' : `,"end_user":${JSON.stringify(endUser)}`;
  const tagged = tags === null ? '' : `,"tags":${JSON.stringify(tags)}`;
  return began + user + tagged + (trace === null ? '' : traceMembers(trace));
}

/**
 * The start of a request's lines, an open JSON object: its event id, and references to shared members. A line costs by
 * its length. Append it in the same turn of the event loop.
 */
export function lineHead(
  journal: UsageJournal,
  { eventId, key }: Call,
  target: Target,
  admitted: MeteredRequest,
): string {
  const keyReference = journal.refer(keyMembers(key));
  const targetReference = journal.refer(targetMembers(target, admitted));
  return `{"event_id":"${eventId}"${references(keyReference, targetReference)}`;
}

/**
 * A complete settle line: a UsageRecord in JSON.
 * @param attempts lines of `attemptLine`, joined by commas
 * @param servedAs whether the cost is that of the model which the response reports
 */
export function settledLine(
  head: string,
  outcome: RequestOutcome,
  timing: Timing,
  attempts: string,
  servedAs: boolean,
  decision: RoutingDecision | null,
): string {
  const { usage } = outcome;
  const { admittedMs, firstTokenMs, lastOutputMs } = timing;
  const lastOutput = lastOutputMs === null ? '' : `,"last_output_ms":${Math.round(lastOutputMs)}`;
  return (
    `${head}${outcomeMembers(outcome)},"input_tokens":${usage.inputTokens},"output_tokens":${usage.outputTokens}${partMembers(usage)}${unitsMember(usage, servedAs)}` +
    `,"cost_nano":"${outcome.cost}","finish_reason":${quoted(outcome.finishReason)},"duration_ms":${Math.round(timing.durationMs)}` +
    `,"admitted_ms":${Math.round(admittedMs)},"first_token_ms":${firstTokenMs === null ? 'null' : Math.round(firstTokenMs)}${lastOutput},"attempts":[${attempts}]${decision === null ? '' : `,"routing":${decision.json}`}}`
  );
}

/** A constant for the most frequent outcome, which costs least. */
function outcomeMembers({ status, httpStatus, error, estimated }: RequestOutcome): string {
  if (status === 'succeeded' && httpStatus === 200 && error === null && !estimated)
    return ',"status":"succeeded","http_status":200,"estimated":false';
  const code = error === null ? '' : `"error_code":"${error.code}",`;
  return `,"status":"${status}","http_status":${httpStatus},${code}"estimated":${estimated}`;
}

/** Cached and reasoning tokens. */
function partMembers({ cachedTokens, reasoningTokens }: TokenUsage): string {
  return `,"cached_tokens":${cachedTokens},"reasoning_tokens":${reasoningTokens}`;
}

/** Rates that override those of the target. */
export function tierMember(tier: TierRates | null): string {
  return tier === null ? '' : `,"rates":${tier.json}`;
}

/** Rates and price version of a model that responded in place of the requested one. */
export function servedMember({ json, version }: ServedRates): string {
  return `,"rates":${json},"price_version":${JSON.stringify(version)}`;
}

/** What a cache saved, in nano-USD. */
export function savingsMember(saved: bigint): string {
  return saved === 0n ? '' : `,"cache_savings_nano":"${saved}"`;
}

/** A UsageUnits as a member that follows others. */
function unitsMember(usage: TokenUsage, servedAs: boolean): string {
  const { cacheWriteTokens, cacheWrite1hTokens, audioInputTokens, audioOutputTokens, media } = usage;
  const { imageInputTokens, imageOutputTokens, serviceTier, servedModel, calls, longestInput } = usage;
  const special = cacheWriteTokens + audioInputTokens + audioOutputTokens + imageInputTokens + imageOutputTokens;
  if (special === 0 && media === undefined && serviceTier === undefined && calls === undefined && !servedAs) return '';
  const units: UsageUnits = {
    ...(cacheWriteTokens > 0 && { cacheWriteTokens }),
    ...(cacheWrite1hTokens > 0 && { cacheWrite1hTokens }),
    ...(audioInputTokens > 0 && { audioInputTokens }),
    ...(audioOutputTokens > 0 && { audioOutputTokens }),
    ...(imageInputTokens > 0 && { imageInputTokens }),
    ...(imageOutputTokens > 0 && { imageOutputTokens }),
    ...(calls !== undefined && { calls }),
    ...(longestInput !== undefined && { longestInput }),
    ...(media && { media }),
    ...(serviceTier && { serviceTier }),
    ...(servedAs && servedModel !== undefined && { servedModel }),
  };
  return `,"units":${JSON.stringify(units)}`;
}

let isoSecond = -1;
let isoPrefix = '';

/**
 * Like `toISOString`, without the `Z`. That costs more than all the rest of a line, and most requests share their
 * second with another.
 */
function isoTime(at: number): string {
  const second = Math.floor(at / 1_000);
  if (second !== isoSecond) {
    isoSecond = second;
    isoPrefix = flat(new Date(second * 1_000).toISOString().slice(0, -4));
  }
  const millisecond = at - second * 1_000;
  return `${isoPrefix}${millisecond < 10 ? '00' : millisecond < 100 ? '0' : ''}${millisecond}`;
}

/** Shared members of the lines of a key. */
function keyMembers(key: KeyRecord): CommonMembers {
  const known = membersOfKeys.get(key);
  if (known !== undefined) return known;
  const { markupPpm } = key.plan;
  const markup = markupPpm === 0 ? null : { markup_ppm: markupPpm };
  const members = jsonMembers({ account_id: key.accountId, api_key_id: key.id, member_id: key.memberId, ...markup });
  const created = commonMembers(flat(`,${members}`));
  membersOfKeys.set(key, created);
  return created;
}

/** Shared members of the lines of similar requests to a target. */
function targetMembers(
  target: Target,
  { capability, protocol, requestedModel, streamed }: MeteredRequest,
): CommonMembers {
  let known = membersOfTargets.get(target);
  if (known === undefined) membersOfTargets.set(target, (known = []));
  for (const kind of known)
    if (
      kind.streamed === streamed &&
      kind.requestedModel === requestedModel &&
      kind.capability === capability &&
      kind.protocol === protocol
    )
      return kind.members;
  const requested = requestedModel === target.model ? target.modelJson : JSON.stringify(requestedModel);
  const requestKind = jsonMembers({ capability, ...(protocol !== null && { protocol }) });
  const members = commonMembers(
    flat(`,${target.usageMembers},${requestKind},"requested_model":${requested},"streamed":${streamed}`),
  );
  if (known.length === MAX_PER_TARGET) known.shift();
  known.push({ capability, protocol, requestedModel, streamed, members });
  return members;
}

/** Flattens a concatenated string, which V8 would traverse at each write. */
function flat(text: string): string {
  return Buffer.from(text).toString();
}

function quoted(text: string | null): string {
  return text === null ? 'null' : JSON.stringify(text);
}
