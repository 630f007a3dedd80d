import { SluiceError } from '../../errors/index.ts';
import type { Send } from '../contract.ts';
import type { ModerationRequest } from '../shared/moderation/moderation-request.ts';
import { isObject, membersOf, type JsonObject } from '../../protocols/canonical/json-members.ts';
import {
  moderationCategories,
  type ModerationCategory,
  type ModerationDocument,
  type ModerationResult,
} from '../shared/moderation/moderation-result.ts';
import { TranslatedDocument } from '../shared/json/translated-document.ts';
import type { ServiceClient } from '../shared/openai-compatible/services/service-client.ts';

const none: readonly string[] = [];

/**
 * Mistral's categories by OpenAI's names: those of 2411, and of 2603, which has two for dangerous and criminal content.
 * Other categories (`health`, `financial`, `law`, `pii`, `jailbreaking`) are no harm in OpenAI's terms: they are
 * reported in addition, under Mistral's name, and do not flag the input.
 */
const openAiNames: Readonly<Record<string, ModerationCategory>> = {
  sexual: 'sexual',
  hate_and_discrimination: 'hate',
  violence_and_threats: 'violence',
  dangerous_and_criminal_content: 'illicit',
  dangerous: 'illicit',
  criminal: 'illicit',
  selfharm: 'self-harm',
};

/**
 * `POST /moderations` of Mistral, which accepts texts but no images. Source:
 * https://docs.mistral.ai/capabilities/guardrailing and https://docs.mistral.ai/api/ (ModerationResponse).
 */
export function sendMistralModeration({ provider, upstream, path }: ServiceClient): Send<ModerationRequest> {
  return ({ request, model }, receiver) => {
    const body = JSON.stringify({ model, input: textsOf(provider, request.input) });
    const documentReceiver = new TranslatedDocument(provider, receiver, (document) => translate(document, model));
    upstream.post(path('/moderations', model), body, documentReceiver);
    return none;
  };
}

/** @throws SluiceError unsupported_value */
function textsOf(provider: string, input: ModerationRequest['input']): string | readonly string[] {
  if (typeof input === 'string') return input;
  const texts = input.map((item, index) => {
    if (typeof item === 'string') return item;
    if (item.type === 'text') return item.text;
    throw new SluiceError('unsupported_value', {
      param: `input[${index}]`,
      values: { reason: `is an image, but provider ${provider} moderates text only.` },
    });
  });
  // The parts of one input have one result.
  return typeof input[0] === 'string' ? texts : texts.join('\n');
}

function translate(document: unknown, model: string): ModerationDocument | null {
  if (!isObject(document) || !Array.isArray(document.results)) return null;
  const results: ModerationResult[] = [];
  for (const result of document.results) {
    if (!isObject(result) || !isObject(result.categories)) return null;
    results.push(toResult(result.categories, membersOf(result.category_scores)));
  }
  return {
    id: typeof document.id === 'string' ? document.id : '',
    model: typeof document.model === 'string' ? document.model : model,
    results,
    ...(isObject(document.usage) && { usage: document.usage }),
  };
}

function toResult(reported: JsonObject, reportedScores: JsonObject): ModerationResult {
  const categories = new Map<string, boolean>(moderationCategories.map((name) => [name, false]));
  const scores = new Map<string, number>(moderationCategories.map((name) => [name, 0]));
  const applied = new Map<string, readonly 'text'[]>(moderationCategories.map((name) => [name, []]));
  for (const [mistralName, value] of Object.entries(reported)) {
    const name = (Object.hasOwn(openAiNames, mistralName) && openAiNames[mistralName]) || mistralName;
    const score = reportedScores[mistralName];
    categories.set(name, value === true || categories.get(name) === true);
    scores.set(name, Math.max(scores.get(name) ?? 0, typeof score === 'number' ? score : 0));
    applied.set(name, ['text']);
  }
  return {
    flagged: moderationCategories.some((name) => categories.get(name) === true),
    categories: Object.fromEntries(categories),
    category_scores: Object.fromEntries(scores),
    category_applied_input_types: Object.fromEntries(applied),
  };
}
