import type { Attributes } from '@opentelemetry/api';

/** Characters of one attribute. Backends refuse or truncate longer ones. */
const MAX_LENGTH = 64 * 1024;

interface Message {
  readonly role: string;
  readonly parts: readonly unknown[];
}

type Members = Readonly<Record<string, unknown>>;

/**
 * The messages of logged content, which is redacted, by the GenAI conventions: of a request in any of the protocols, and of its
 * response. @param document JSON of a `LoggedDocument`
 */
export function messageAttributes(document: Buffer): Attributes {
  const { request, response } = membersOf(JSON.parse(document.toString()));
  const input = inputOf(membersOf(request));
  const system = systemOf(membersOf(request));
  const output = outputOf(membersOf(response));
  return {
    ...(input.length > 0 && { 'gen_ai.input.messages': bounded(input) }),
    ...(system.length > 0 && { 'gen_ai.system_instructions': bounded(system) }),
    ...(output.length > 0 && { 'gen_ai.output.messages': bounded(output) }),
  };
}

function inputOf({ messages, input, contents, prompt }: Members): Message[] {
  const given = messages ?? input ?? contents ?? prompt;
  if (typeof given === 'string') return [{ role: 'user', parts: partsOf(given) }];
  return listOf(given).map((each) => messageOf(each, 'user'));
}

function systemOf({ system, instructions, systemInstruction }: Members): unknown[] {
  const given = system ?? instructions ?? systemInstruction;
  return given === undefined || given === null ? [] : partsOf(membersOf(given).parts ?? given);
}

/** Chat Completions and Completions, Gemini, Responses, Messages. */
function outputOf(response: Members): Message[] {
  const { choices, candidates, output, content, role } = response;
  if (choices !== undefined)
    return listOf(choices).map((choice) => messageOf(membersOf(choice).message ?? membersOf(choice).text, 'assistant'));
  if (candidates !== undefined)
    return listOf(candidates).map((each) => messageOf(membersOf(each).content, 'assistant'));
  if (output !== undefined) return listOf(output).map((each) => messageOf(each, 'assistant'));
  return content === undefined ? [] : [messageOf({ role, content }, 'assistant')];
}

function messageOf(value: unknown, usualRole: string): Message {
  if (typeof value === 'string') return { role: usualRole, parts: partsOf(value) };
  const { role, content, parts, ...others } = membersOf(value);
  const named = typeof role === 'string' ? (role === 'model' ? 'assistant' : role) : usualRole;
  const given = content ?? parts;
  const written = given === undefined || given === null ? [] : partsOf(given);
  const calls = listOf(others.tool_calls).map(callOf);
  // An item of Responses that is no message is its own part.
  return { role: named, parts: written.length + calls.length === 0 ? [value] : [...written, ...calls] };
}

function partsOf(content: unknown): unknown[] {
  if (typeof content === 'string') return [{ type: 'text', content }];
  return listOf(content).map((part) => {
    const { text } = membersOf(part);
    if (typeof part === 'string') return { type: 'text', content: part };
    return typeof text === 'string' ? { type: 'text', content: text } : part;
  });
}

function callOf(value: unknown): unknown {
  const { id, function: called } = membersOf(value);
  const { name, arguments: input } = membersOf(called);
  return called === undefined ? value : { type: 'tool_call', id, name, arguments: input };
}

/** Whole messages, the latest first where not all have room: a prefix of JSON cannot be read. */
function bounded(messages: readonly unknown[]): string {
  const kept: string[] = [];
  let length = 2;
  for (const message of messages.toReversed()) {
    const text = JSON.stringify(message);
    length += text.length + 1;
    if (length > MAX_LENGTH) break;
    kept.unshift(text);
  }
  return `[${kept.join(',')}]`;
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
