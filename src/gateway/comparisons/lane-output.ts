import { compileRates, costNano, type CompiledRates } from '../../catalogue/prices/price.ts';
import type { TokenRates } from '../../catalogue/prices/token-rates.ts';
import type { CompletionUpdate, CompletionUsed } from '../../live/events.ts';
import { tokenUsage } from '../capabilities/capability.ts';
import { estimateTokens } from '../request-input.ts';
import { outputSpeed } from '../usage/attempts/output-speed.ts';
import type { LaneState, MutableLaneState } from './lane-state.ts';

/** Longer texts are emitted as events, but not stored. */
const MAX_STORED_CHARACTERS = 4 * 1024 * 1024;
const MAX_TOOL_CALLS = 1_000;

type OutputUpdate = Extract<CompletionUpdate, { readonly type: 'delta' | 'reasoning' | 'toolCall' }>;

/** The output of a lane's chat, with figures that are estimated until the provider has reported usage. */
export class LaneOutput {
  readonly #state: MutableLaneState;
  readonly #inputBytes: number;
  readonly #markupPpm: number;
  #rates: CompiledRates | null = null;
  #bytes = 0;
  /** Stored characters of all tool calls. */
  #toolCallCharacters = 0;

  constructor(state: MutableLaneState, inputBytes: number, markupPpm: number) {
    this.#state = state;
    this.#inputBytes = inputBytes;
    this.#markupPpm = markupPpm;
  }

  /** @param pricing of the model that serves the lane; null if not known */
  start(pricing: TokenRates | null, elapsedMs: number): void {
    this.#rates = pricing === null ? null : compileRates(pricing);
    this.#state.inputTokens = estimateTokens(this.#inputBytes);
    this.#estimateUsage(elapsedMs);
  }

  add(update: OutputUpdate, elapsedMs: number): void {
    const state = this.#state;
    state.firstTokenMs ??= elapsedMs;
    if (update.type === 'toolCall') this.#addToolCall(update);
    else {
      this.#bytes += Buffer.byteLength(update.text);
      const member = update.type === 'delta' ? 'output' : 'reasoning';
      const hasRoom = state[member].length + update.text.length <= MAX_STORED_CHARACTERS;
      if (update.choice === 0 && hasRoom) state[member] += update.text;
    }
    this.#estimateUsage(elapsedMs);
  }

  setUsage(used: CompletionUsed): void {
    const { inputTokens, outputTokens, cachedTokens, reasoningTokens, estimated, costNano: cost } = used;
    Object.assign(this.#state, { inputTokens, outputTokens, cachedTokens, reasoningTokens, estimated, costNano: cost });
  }

  #addToolCall(update: Extract<OutputUpdate, { readonly type: 'toolCall' }>): void {
    this.#bytes += Buffer.byteLength(update.arguments);
    const { index, id, name } = update;
    if (update.choice !== 0 || index < 0 || index >= MAX_TOOL_CALLS) return;
    const characters = update.arguments.length + (id?.length ?? 0) + (name?.length ?? 0);
    if (this.#toolCallCharacters + characters > MAX_STORED_CHARACTERS) return;
    this.#toolCallCharacters += characters;
    const calls = [...this.#state.toolCalls];
    while (calls.length <= index) calls.push({ id: null, name: null, arguments: '' });
    const before = calls[index];
    calls[index] = {
      id: id ?? before?.id ?? null,
      name: name ?? before?.name ?? null,
      arguments: (before?.arguments ?? '') + update.arguments,
    };
    this.#state.toolCalls = calls;
  }

  #estimateUsage(elapsedMs: number): void {
    const state = this.#state;
    state.outputTokens = estimateTokens(this.#bytes);
    const used = tokenUsage(state.inputTokens, state.outputTokens);
    state.costNano = this.#rates === null ? 0n : costNano(this.#rates, used, this.#markupPpm);
    state.tokensPerSecond = tokensPerSecond(state, elapsedMs);
  }
}

/** As `outputSpeed`, rounded. */
export function tokensPerSecond({ firstTokenMs, outputTokens }: LaneState, untilMs: number): number | null {
  const speed = firstTokenMs === null ? null : outputSpeed(outputTokens, untilMs - firstTokenMs);
  return speed === null ? null : Math.round(speed * 100) / 100;
}
