import { isObject } from '../../data/json.ts';
import { capabilities, parametersOf, type Capability } from './capabilities.ts';

/** The input of a request, without its response. */
export interface Draft {
  readonly prompt: string;
  /** For chat. */
  readonly system: string;
  /** For chat: OpenAI's `tools`, as JSON text. */
  readonly tools: string;
  /** For chat: further parameters, as the text of a JSON object. */
  readonly others: string;
  /** For embeddings. */
  readonly texts: readonly string[];
  /** The texts of the parameter fields. */
  readonly parameters: Readonly<Record<string, string>>;
}

export interface TargetedDraft extends Draft {
  readonly capability: Capability;
  readonly model: string;
}

const defaultPrompts: Readonly<Partial<Record<Capability, string>>> = {
  chat: 'Explain what an API gateway does, in three sentences.',
  images: 'A quiet harbour at dawn, in watercolour.',
  speech: 'Good morning. The ferry to the islands leaves at ten.',
  moderation: 'I love sunny days in the park.',
  video: 'Waves roll onto a pebble beach, seen from above.',
};

export function newDraft(capability: Capability): Draft {
  return {
    prompt: defaultPrompts[capability] ?? '',
    system: '',
    tools: '',
    others: '',
    texts: ['The cat sleeps on the sofa.', 'A kitten naps on the couch.', 'Interest rates rose again.'],
    parameters: {},
  };
}

/** The parameters that are set, converted to the type of their field. */
export function parametersIn(capability: Capability, { parameters }: Draft): Record<string, unknown> {
  return Object.fromEntries(
    parametersOf[capability].flatMap(({ name, kind }) => {
      const given = parameters[name]?.trim() ?? '';
      return given === '' ? [] : [[name, kind === 'number' ? Number(given) : given]];
    }),
  );
}

/** @throws SyntaxError | TypeError when it is not a JSON array */
export function toolsIn({ tools }: Draft): readonly unknown[] | null {
  if (tools.trim() === '') return null;
  const parsed: unknown = JSON.parse(tools);
  if (!Array.isArray(parsed)) throw new TypeError('Tools are a JSON array.');
  return parsed;
}

/** @throws SyntaxError | TypeError when they are not a JSON object */
export function othersIn({ others }: Pick<Draft, 'others'>): Readonly<Record<string, unknown>> {
  if (others.trim() === '') return {};
  const parsed: unknown = JSON.parse(others);
  if (!isObject(parsed)) throw new TypeError('Other parameters are a JSON object.');
  return parsed;
}

/** Encodes the draft for the fragment of a URL, which browsers do not send. */
export function encodeDraft(draft: TargetedDraft): string {
  const bytes = new TextEncoder().encode(JSON.stringify(draft));
  const binary = Array.from(bytes, (byte) => String.fromCodePoint(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Null when the fragment is not a draft. */
export function decodeDraft(fragment: string): TargetedDraft | null {
  if (fragment === '') return null;
  try {
    const binary = atob(fragment.replaceAll('-', '+').replaceAll('_', '/'));
    const parsed: unknown = JSON.parse(
      new TextDecoder().decode(Uint8Array.from(binary, (each) => each.codePointAt(0) ?? 0)),
    );
    return readDraft(parsed);
  } catch {
    return null;
  }
}

/** Parses untrusted data from a link or the browser's storage. */
export function readDraft(value: unknown): TargetedDraft | null {
  if (!isObject(value)) return null;
  const capability = capabilities.find((each) => each === value.capability);
  if (capability === undefined || typeof value.model !== 'string') return null;
  const known = new Set(parametersOf[capability].map(({ name }) => name));
  const parameters = isObject(value.parameters) ? value.parameters : {};
  return {
    capability,
    model: value.model,
    prompt: textOf(value.prompt),
    system: textOf(value.system),
    tools: textOf(value.tools),
    others: textOf(value.others),
    texts: Array.isArray(value.texts) ? value.texts.filter((each) => typeof each === 'string') : [],
    parameters: Object.fromEntries(
      Object.entries(parameters).flatMap(([name, each]) =>
        known.has(name) && typeof each === 'string' ? [[name, each]] : [],
      ),
    ),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
