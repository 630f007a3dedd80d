/** How much too long an input is; null where it is not said. */
export interface ContextOverflow {
  readonly tokens: number | null;
  readonly maximum: number | null;
}

/** The wordings of OpenAI, Anthropic and Google. */
const wordings: readonly { readonly form: RegExp; readonly order: 'tokens first' | 'maximum first' }[] = [
  { form: /prompt is too long: ([\d,]+) tokens > ([\d,]+) maximum/, order: 'tokens first' },
  {
    form: /input token count \(?([\d,]+)\)? exceeds the maximum number of tokens allowed \(?([\d,]+)\)?/,
    order: 'tokens first',
  },
  { form: /maximum context length is ([\d,]+) tokens\D+?([\d,]+) tokens/, order: 'maximum first' },
];

/** The numbers in a provider's message about an input that is too long for its model. */
export function contextOverflow(message: string): ContextOverflow {
  for (const { form, order } of wordings) {
    const found = form.exec(message);
    if (!found) continue;
    const [first, second] = found.slice(1).map((digits) => Number(digits.replaceAll(',', '')));
    const [tokens = null, maximum = null] = order === 'tokens first' ? [first, second] : [second, first];
    return { tokens, maximum };
  }
  return { tokens: null, maximum: null };
}

/** The same message in OpenAI's words, which clients of chat and Responses look for; unchanged if it has no numbers. */
export function overflowMessage(message: string): string {
  const { tokens, maximum } = contextOverflow(message);
  if (tokens === null || maximum === null) return message;
  return `This model's maximum context length is ${maximum} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`;
}
