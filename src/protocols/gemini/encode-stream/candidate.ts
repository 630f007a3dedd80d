import type { FinishReason, ReasoningDetailPart, ToolCallPart } from '../../canonical/stream-part.ts';
import { carriedSignature } from '../carried-signature.ts';

type Detail = ReasoningDetailPart['detail'];

/** One candidate of a response: its parts, and what they have to carry. */
export class Candidate {
  reason: FinishReason | null = null;
  isRefused = false;
  #parts: object[] = [];
  /** The call whose arguments are still arriving. */
  #call: { readonly part: ToolCallPart; json: string } | null = null;
  /** Reasoning that belongs to what follows it. */
  #details: Detail[] = [];
  /** How many of them, from the first, a text carries already. */
  #copied = 0;

  /** Whether no part is to be sent. */
  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  /** The parts that are not sent yet; they count as sent then. */
  takeParts(): object[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  add(part: object): void {
    this.#closeCall();
    this.#parts.push(part);
  }

  /**
   * The first text behind reasoning carries it: a client that joins texts, as Gemini CLI does, keeps the signature of the
   * first one only. A call behind it carries the reasoning again, since clients return the signatures of calls at least.
   */
  addText(text: string): void {
    this.#closeCall();
    const details = this.#details.slice(this.#copied);
    if (details.length === 0 || details.some(isGoogles)) return void this.#parts.push({ text });
    this.#copied = this.#details.length;
    this.#parts.push({ text, thoughtSignature: carriedSignature(details) });
  }

  addReasoning(detail: Detail): void {
    this.#details.push(detail);
  }

  beginCall(part: ToolCallPart): void {
    this.#closeCall();
    this.#call = { part, json: '' };
  }

  addInput(json: string): void {
    if (this.#call !== null) this.#call.json += json;
  }

  /** What is left gets a part of its own. */
  complete(): void {
    this.#closeCall();
    const details = this.#details.slice(this.#copied);
    this.#details = [];
    if (details.length > 0) this.#parts.push({ text: '', thoughtSignature: carriedSignature(details) });
  }

  /** Google's own signatures belong to the call of their id; those of others travel with the next call. */
  #closeCall(): void {
    if (this.#call === null) return;
    const { part, json } = this.#call;
    const details = this.#details;
    this.#call = null;
    const { id, name } = part;
    const own = details.find((detail) => isGoogles(detail) && detail.id === id);
    const signature = own !== undefined && 'data' in own ? String(own.data) : null;
    const carried = details.filter((detail) => detail !== own && !isOfLaterCall(detail));
    this.#details = details.filter((detail) => detail !== own && !carried.includes(detail));
    this.#copied = 0;
    const thoughtSignature = signature ?? (carried.length > 0 ? carriedSignature(carried) : null);
    const functionCall = { id, name, args: argumentsOf(json) };
    this.#parts.push({ functionCall, ...(thoughtSignature !== null && { thoughtSignature }) });
  }
}

/** Belongs to a part of its own. */
function isGoogles({ format }: Detail): boolean {
  return format === 'google-gemini-v1';
}

/** A detail of Google's names the call that it belongs to. */
function isOfLaterCall(detail: Detail): boolean {
  return isGoogles(detail) && typeof detail.id === 'string' && !/^(?:text|part|image):/.test(detail.id);
}

/** Arguments that a limit cut off are no JSON. */
function argumentsOf(json: string): object {
  try {
    const args: unknown = JSON.parse(json === '' ? '{}' : json);
    return typeof args === 'object' && args !== null && !Array.isArray(args) ? args : { value: args };
  } catch {
    return { INVALID_JSON: json };
  }
}
