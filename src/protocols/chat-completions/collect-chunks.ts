import { isObject, objectsOf, type JsonObject } from '../canonical/json-members.ts';

type Members = Record<string, unknown>;

/** Of chunks, not of the response. OpenAI pads events with `obfuscation`. */
const ofChunks: ReadonlySet<string> = new Set(['choices', 'object', 'obfuscation']);
/** Texts that are sent whole; all others continue. */
const whole: ReadonlySet<string> = new Set(['id', 'type', 'role', 'name', 'format', 'signature']);

interface Choice {
  readonly message: Members;
  readonly logprobs: Members;
  /** Other members, the last of each. */
  readonly members: Members;
}

/**
 * Collects the chunks of a chat stream into the document that the response would have been without `stream`, with all members
 * of the provider. Source: OpenAI's API document, chat completion chunks and CreateChatCompletionResponse.
 */
export class ChunkCollector {
  readonly #members: Members = {};
  readonly #choices = new Map<number, Choice>();

  /** @param chunk the parsed data of an event */
  add(chunk: unknown): void {
    if (!isObject(chunk)) return;
    setMembers(this.#members, chunk, ofChunks);
    for (const choice of objectsOf(chunk.choices)) this.#addChoice(choice);
  }

  /** Null where no chunk had a choice. */
  document(): JsonObject | null {
    if (this.#choices.size === 0) return null;
    const choices = [...this.#choices].sort(([one], [other]) => one - other);
    const { usage, ...members } = this.#members;
    return {
      ...members,
      object: 'chat.completion',
      choices: choices.map(([index, choice]) => choiceObject(index, choice)),
      ...(isObject(usage) && { usage }),
    };
  }

  #addChoice(choice: JsonObject): void {
    const { index = 0, delta, logprobs, ...members } = choice;
    if (typeof index !== 'number') return;
    let known = this.#choices.get(index);
    if (known === undefined) this.#choices.set(index, (known = { message: {}, logprobs: {}, members: {} }));
    if (isObject(delta)) merge(known.message, delta);
    if (isObject(logprobs)) merge(known.logprobs, logprobs);
    setMembers(known.members, members);
  }
}

function choiceObject(index: number, { message, logprobs, members }: Choice): JsonObject {
  const { tool_calls: calls, ...rest } = message;
  const called = Array.isArray(calls) ? calls.filter(isObject).map(({ index: _position, ...call }) => call) : null;
  const shown: Members = { ...rest, ...(called !== null && { tool_calls: called }) };
  // A stream may begin with an empty text before it is known that there is none.
  if (shown.content === '' && (called !== null || shown.refusal || isObject(shown.function_call))) shown.content = null;
  return { index, ...members, message: shown, logprobs: Object.keys(logprobs).length > 0 ? logprobs : null };
}

/** The last of each member applies, unless it is empty: Azure's last chunks may have the id `""` and the time 0. */
function setMembers(target: Members, source: JsonObject, except?: ReadonlySet<string>): void {
  for (const [name, value] of Object.entries(source)) {
    const isEmpty = value === null || value === '' || value === 0;
    if (except?.has(name) !== true && (!isEmpty || !Object.hasOwn(target, name))) set(target, name, value);
  }
}

/** Continues what earlier deltas began. */
function merge(target: Members, delta: JsonObject): void {
  for (const [name, value] of Object.entries(delta)) {
    const known = Object.hasOwn(target, name) ? target[name] : undefined;
    if (known === undefined || known === null) set(target, name, owned(value));
    else if (typeof known === 'string' && typeof value === 'string') {
      if (!whole.has(name) || known === '') target[name] = known + value;
    } else if (Array.isArray(known) && Array.isArray(value)) mergeList(known, value);
    else if (isMembers(known) && isObject(value)) merge(known, value);
    else if (value !== null) target[name] = owned(value);
  }
}

/** Elements with an index continue the element of that index. */
function mergeList(target: unknown[], delta: readonly unknown[]): void {
  const known = elementsOf(target);
  for (const item of delta) {
    const index = isObject(item) && typeof item.index === 'number' ? item.index : null;
    const element = index === null ? undefined : known.get(index);
    if (element !== undefined && isObject(item)) merge(element, { ...item, index });
    else {
      const added = owned(item);
      target.push(added);
      if (index !== null && isMembers(added)) known.set(index, added);
    }
  }
}

const elements = new WeakMap<readonly unknown[], Map<number, Members>>();

/** By their indexes: a list of a hostile server may be long. */
function elementsOf(list: readonly unknown[]): Map<number, Members> {
  let known = elements.get(list);
  if (known === undefined) elements.set(list, (known = new Map()));
  return known;
}

/** A copy that later deltas may extend: within one delta, elements may already have the same index. */
function owned(value: unknown): unknown {
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    mergeList(list, value);
    return list;
  }
  if (!isObject(value)) return value;
  const members: Members = {};
  for (const [name, member] of Object.entries(value)) set(members, name, owned(member));
  return members;
}

/** Also of a member that is called `__proto__`. */
function set(target: Members, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}

function isMembers(value: unknown): value is Members {
  return isObject(value);
}
