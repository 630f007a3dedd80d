import type { StreamPartWriter } from '../../canonical/stream-part-writer.ts';
import type { TokenLogprob } from '../../canonical/stream-part.ts';
import { citationsOf } from './citations.ts';
import { finishReason } from '../finish-reason.ts';
import { FunctionCalls } from './function-calls.ts';
import { tokenLogprobs } from './logprobs.ts';
import { imageSignature, isToolPart, toolPartDetail, textSignature, thoughtSignature } from '../signatures.ts';
import { listOf, objectOf, textOf, type JsonObject } from '../../canonical/json-members.ts';

/**
 * Decodes one candidate, part by part, as a choice. Images within its thoughts are omitted; executed code and its
 * output are shown as text; these, and calls of Google's other built-in tools with their results, are preserved for the
 * next turn. Source: ai.google.dev/api/caching, Part.
 */
export class CandidateMapper {
  readonly #writer: StreamPartWriter;
  readonly #choice: number;
  readonly #calls: FunctionCalls;
  #text = '';
  #images = 0;
  #grounding: JsonObject | null = null;
  #isFinished = false;

  constructor(writer: StreamPartWriter, choice: number) {
    this.#writer = writer;
    this.#choice = choice;
    this.#calls = new FunctionCalls(writer, choice);
  }

  /** Search queries that grounded its response. */
  get searches(): number {
    return listOf(this.#grounding?.webSearchQueries).length;
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** Decodes its part of one event. */
  map(candidate: JsonObject): void {
    if (this.#isFinished) return;
    let logprobs = tokenLogprobs(candidate.logprobsResult);
    for (const rawPart of listOf(objectOf(candidate.content)?.parts)) {
      const part = objectOf(rawPart);
      if (part === null) continue;
      const text = part.thought === true ? null : shownText(part);
      if (text === null) this.#writePart(part);
      else {
        this.#writeText(text, part, logprobs);
        logprobs = [];
      }
    }
    if (logprobs.length > 0) this.#writer.text('', this.#choice, logprobs);
    this.#grounding = objectOf(candidate.groundingMetadata) ?? this.#grounding;
    const reason = textOf(candidate.finishReason);
    if (reason !== null) this.finish(reason);
  }

  /** @param reason Google's */
  finish(reason: string): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#calls.end();
    if (this.#grounding)
      for (const citation of citationsOf(this.#grounding, this.#text)) this.#writer.citation(citation, this.#choice);
    this.#writer.finish(finishReason(reason, this.#calls.count > 0), this.#choice);
  }

  #writeText(text: string, part: JsonObject, logprobs: readonly TokenLogprob[]): void {
    const start = this.#text.length;
    this.#text += text;
    if (text !== '' || logprobs.length > 0) this.#writer.text(text, this.#choice, logprobs);
    const position = { start, end: this.#text.length, callsBefore: this.#calls.count };
    const signature = textOf(part.thoughtSignature);
    if (isToolPart(part)) this.#writer.reasoningDetail(toolPartDetail({ ...position, part }), this.#choice);
    else if (signature !== null) this.#writer.reasoningDetail(textSignature({ ...position, signature }), this.#choice);
  }

  #writePart(part: JsonObject): void {
    const signature = textOf(part.thoughtSignature);
    const call = objectOf(part.functionCall);
    if (call !== null) this.#calls.add(call, signature);
    else if (part.thought === true) this.#writeThought(textOf(part.text) ?? '', signature);
    else this.#writeImage(objectOf(part.inlineData), signature);
  }

  #writeThought(text: string, signature: string | null): void {
    this.#writer.reasoning(text, this.#choice);
    if (signature !== null) this.#writer.reasoningDetail(thoughtSignature({ text, signature }), this.#choice);
  }

  #writeImage(media: JsonObject | null, signature: string | null): void {
    const type = textOf(media?.mimeType);
    const data = textOf(media?.data);
    if (type === null || data === null || !type.startsWith('image/')) return;
    this.#writer.image(`data:${type};base64,${data}`, this.#choice);
    if (signature !== null) this.#writer.reasoningDetail(imageSignature(this.#images, signature), this.#choice);
    this.#images += 1;
  }
}

/** Null for a part that is not shown as text. */
function shownText(part: JsonObject): string | null {
  const text = textOf(part.text);
  if (text !== null) return text;
  const code = objectOf(part.executableCode);
  if (code !== null) return fenced(textOf(code.language)?.toLowerCase() ?? '', textOf(code.code) ?? '');
  const result = objectOf(part.codeExecutionResult);
  if (result !== null) return fenced('', textOf(result.output) ?? '');
  return isToolPart(part) ? '' : null;
}

function fenced(language: string, body: string): string {
  return `\n\`\`\`${language}\n${body.replace(/\n$/, '')}\n\`\`\`\n`;
}
