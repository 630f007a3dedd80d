import { type Dialect } from './dialect.ts';
import { isObject, type JsonObject } from '../../../../protocols/canonical/json-members.ts';
import { ToolCallDeltas, convertToolCalls } from './tool-calls.ts';

/** Converts the events or the document of one response to OpenAI's format. One object per call. */
export class AnswerRewriter {
  readonly #dialect: Dialect;
  readonly #streamed: boolean;
  readonly #toolCalls = new Map<number, ToolCallDeltas>();

  constructor(dialect: Dialect, streamed: boolean) {
    this.#dialect = dialect;
    this.#streamed = streamed;
  }

  /** @returns the same object if nothing changes; null if it is removed */
  rewrite(answer: JsonObject): JsonObject | null {
    if (answer.error) return answer;
    const failure = this.#failureOf(answer);
    if (failure !== null) return failure;
    let rewritten = this.#withChoices(answer);
    rewritten = this.#withUsage(rewritten);
    return this.#dialect.answer ? this.#dialect.answer(rewritten, this.#streamed) : rewritten;
  }

  /** A finish reason for a failed response: relayed in the format of OpenAI's error within a stream. */
  #failureOf(answer: JsonObject): JsonObject | null {
    for (const choice of choicesOf(answer)) {
      const reason = choice.finish_reason;
      if (typeof reason === 'string' && mapped(this.#dialect.finishReasons, reason) === 'error')
        return {
          error: { message: `The model stopped: ${reason}`, type: 'server_error', param: null, code: reason },
        };
    }
    return null;
  }

  #withChoices(answer: JsonObject): JsonObject {
    if (!Array.isArray(answer.choices)) return answer;
    let changed = false;
    const choices = answer.choices.map((choice: unknown) => {
      if (!isObject(choice)) return choice;
      const rewritten = this.#rewriteChoice(choice, answer);
      if (rewritten !== choice) changed = true;
      return rewritten;
    });
    return changed ? { ...answer, choices } : answer;
  }

  #rewriteChoice(choice: JsonObject, answer: JsonObject): JsonObject {
    const name = isObject(choice.delta) ? 'delta' : 'message';
    let rewritten = choice;
    const message = choice[name];
    if (isObject(message)) {
      const part = { answer, choice, streamed: this.#streamed };
      const tidied = this.#withToolCalls(message, choice);
      const converted = this.#dialect.message ? this.#dialect.message(tidied, part) : tidied;
      if (converted !== message) rewritten = { ...rewritten, [name]: converted };
    }
    const reason = choice.finish_reason;
    const mappedReason = typeof reason === 'string' ? mapped(this.#dialect.finishReasons, reason) : undefined;
    return mappedReason === undefined ? rewritten : { ...rewritten, finish_reason: mappedReason };
  }

  #withToolCalls(message: JsonObject, choice: JsonObject): JsonObject {
    if (!Array.isArray(message.tool_calls)) return message;
    const calls = this.#streamed
      ? this.#deltasOf(choice.index).convert(message.tool_calls)
      : convertToolCalls(message.tool_calls);
    return calls === message.tool_calls ? message : { ...message, tool_calls: calls };
  }

  #deltasOf(index: unknown): ToolCallDeltas {
    const choice = typeof index === 'number' ? index : 0;
    const known = this.#toolCalls.get(choice) ?? new ToolCallDeltas();
    this.#toolCalls.set(choice, known);
    return known;
  }

  #withUsage(answer: JsonObject): JsonObject {
    const reported = isObject(answer.usage) ? answer.usage : this.#usageElsewhere(answer);
    if (!isObject(reported)) return answer;
    const usage = this.#dialect.usage ? this.#dialect.usage(reported) : reported;
    return usage === answer.usage ? answer : { ...answer, usage };
  }

  #usageElsewhere(answer: JsonObject): unknown {
    return this.#dialect.findUsage?.(answer) ?? choicesOf(answer).find((choice) => isObject(choice.usage))?.usage;
  }
}

function choicesOf(answer: JsonObject): readonly JsonObject[] {
  return Array.isArray(answer.choices) ? answer.choices.filter(isObject) : [];
}

function mapped<Value>(names: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return names !== undefined && Object.hasOwn(names, name) ? names[name] : undefined;
}
