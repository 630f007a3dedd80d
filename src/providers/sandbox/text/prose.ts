import type { Conversation } from '../chat/conversation.ts';
import { requestedLength } from '../chat/requested-length.ts';
import type { SeededRandom } from './seeded-random.ts';
import { splitTokens } from './tokens.ts';

const QUOTED_CODE_POINTS = 300;
/** Used last. */
const MAX_QUOTED_RESULTS = 128;
const DEFAULT_SENTENCES = 5;
const SENTENCES_PER_PARAGRAPH = 4;

const OPENINGS = [
  'This is the sandbox, not an AI model: the words below are put together by rules.',
  'You are talking to the sandbox, which is no AI model and answers by fixed rules.',
  'The sandbox speaking: no AI model, just a careful stand-in for one.',
] as const;

const ASIDES = [
  'A model would now have something to say about {topic}; the sandbox at least takes it seriously.',
  'Take {topic} as the first point: it is named in the question, so it belongs in the answer.',
  'Next comes {topic}, which a good reply would explain with an example.',
  'It helps to put {topic} into one plain sentence before going into detail.',
  'With {topic} in mind, the rest of the question is easier to read.',
  'Every piece of this text reaches you as one token, streamed like the answer of any other model.',
  'The same question with the same seed gives this very text again, so tests can rely on it.',
  'Another seed changes the order of these sentences and leaves the facts alone.',
  'Usage is counted here as it is everywhere else, and costs nothing.',
  'Whoever asks about {topic} usually wants the short version first and the reasons after it.',
  'Set a stop sequence or a token limit, and this text ends exactly there.',
  'Change one word of the request, the model, and a real provider takes over from here.',
  'There is more than one way to look at {topic}, and each deserves a fair sentence.',
  'None of this left the machine: the sandbox needs neither a network nor a key.',
  'If {topic} were all you had asked for, this answer would be shorter.',
  'Tools and JSON schemas work here too, so an application can be built before a bill arrives.',
] as const;

/** Infinite. Each piece begins with a space, so that its tokens are the same alone and in the text. */
function* sentences(conversation: Conversation, random: SeededRandom): Generator<string> {
  yield random.pick(OPENINGS);
  yield ` ${sentenceAboutRequest(conversation).toWellFormed()}`;
  const topics = conversation.topics.length > 0 ? conversation.topics : ['the question'];
  for (let written = 2; ;) {
    for (const aside of random.shuffle(ASIDES)) {
      const topic = topics[random.below(topics.length)] ?? 'the question';
      const gap = written % SENTENCES_PER_PARAGRAPH === 0 ? '\n\n' : ' ';
      yield gap + aside.replace('{topic}', () => topic);
      written += 1;
    }
  }
}

/**
 * A response in plain text: it identifies itself, quotes the question or a tool's result, and has the requested length
 * (by default a few sentences), but never more than `maxTokens`.
 */
export function prose(conversation: Conversation, random: SeededRandom, maxTokens: number): string {
  const requested = requestedLength(conversation.question);
  const unit = requested?.unit ?? 'sentence';
  const maxCount = Math.max(1, requested?.count ?? DEFAULT_SENTENCES);
  const parts: string[] = [];
  let counted = unit === 'paragraph' ? 1 : 0;
  for (const sentence of sentences(conversation, random)) {
    if (unit === 'paragraph' && sentence.startsWith('\n\n') && (counted += 1) > maxCount) break;
    const words = unit === 'word' ? wordsOf(sentence) : [sentence];
    const cut = unit === 'word' ? words.slice(0, maxCount - counted).join('') : sentence;
    const tokens = splitTokens(cut);
    for (const token of tokens) parts.push(token);
    if (unit === 'word') counted += words.length;
    else if (unit === 'token') counted = parts.length;
    else if (unit === 'sentence') counted += 1;
    if (parts.length >= maxTokens || (unit !== 'paragraph' && counted >= maxCount)) break;
  }
  return parts.slice(0, unit === 'token' ? Math.min(maxCount, maxTokens) : maxTokens).join('');
}

function wordsOf(sentence: string): string[] {
  return sentence.match(/\s*\S+/g) ?? [];
}

function sentenceAboutRequest(conversation: Conversation): string {
  const { toolResults, question, attachments } = conversation;
  if (toolResults.length > 0) {
    return toolResults
      .slice(-MAX_QUOTED_RESULTS)
      .map(({ name, text }) => `${name ? `The tool ${name}` : 'The tool'} returned: ${inQuotes(text)}`)
      .join(' ');
  }
  const attached = Object.entries(attachments)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}${count === 1 ? '' : 's'}`);
  const attachmentNote =
    attached.length > 0 ? ` With it came ${attached.join(' and ')}, which the sandbox does not open.` : '';
  return question === '' ? `You sent no text.${attachmentNote}` : `You asked: ${inQuotes(question)}${attachmentNote}`;
}

function inQuotes(text: string): string {
  const quote = quoted(text);
  return `“${quote}”${/[.!?…]$/.test(quote) ? '' : '.'}`;
}

/** The beginning of a text on one line. */
export function quoted(text: string): string {
  const line = text
    .slice(0, 4 * QUOTED_CODE_POINTS)
    .toWellFormed()
    .replaceAll(/\s+/g, ' ')
    .trim();
  const points = Array.from(line);
  return points.length > QUOTED_CODE_POINTS ? `${points.slice(0, QUOTED_CODE_POINTS).join('')} …` : line;
}
