/** Which request of how many. */
export interface Place {
  readonly at: number;
  readonly of: number;
}

export const models = ['openai/gpt-5.5', 'openai/gpt-5.5-mini', 'anthropic/claude-sonnet-4-6', 'gemini/gemini-3-pro'];

const VOCABULARY = 20_000;
const REQUEST_WORDS = 60;
const RESPONSE_WORDS = 80;

/** Prose of words that are as unevenly frequent as those of a language, with words of known frequency. */
export function loggedText(place: Place): { readonly request: string; readonly response: string } {
  const { at, of } = place;
  const marks = [
    'please',
    at % 2 === 0 ? 'half' : 'other',
    at % 100 === 7 ? 'refund policy' : '',
    at % 10_000 === 77 ? 'quokka' : '',
    at === Math.floor(of / 3) ? 'unicorn' : '',
    at > of / 6 && at < of / 6 + of / 30 ? 'outage' : '',
  ];
  return { request: `${marks.join(' ')} ${prose(REQUEST_WORDS)}`, response: prose(RESPONSE_WORDS) };
}

function prose(words: number): string {
  return Array.from({ length: words }, () => wordAt(Math.floor(VOCABULARY ** Math.random()))).join(' ');
}

/** The same word for the same rank. */
function wordAt(rank: number): string {
  const syllables = 'ba do ke mi nu pa ro se ti vu'.split(' ');
  return [...String(rank)].map((digit) => syllables[Number(digit)] ?? '').join('');
}
