/** The ways of giving a key, each enough by itself: those of OpenAI's, Anthropic's, Azure's and Google's clients. */
export const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer sk-sluice-…`.' },
  xApiKey: keyHeader('x-api-key'),
  apiKey: keyHeader('api-key'),
  xGoogApiKey: keyHeader('x-goog-api-key'),
} as const;

/** What operations are grouped by, in the order of the reference. */
export const tags = [
  { name: 'Chat', description: 'Conversations, in the form of OpenAI’s Chat Completions.' },
  { name: 'Responses', description: 'Conversations that are stored, in the form of OpenAI’s Responses.' },
  { name: 'Embeddings', description: 'Vectors of texts.' },
  { name: 'Rerank', description: 'Documents in the order of their relevance.' },
  { name: 'Moderation', description: 'Whether texts and pictures are harmful.' },
  { name: 'Audio', description: 'Speech from text, and text from speech.' },
  { name: 'Images', description: 'Pictures: generated, edited and varied.' },
  { name: 'Videos (beta)', description: 'Videos, which are made in the background.' },
  { name: 'Models', description: 'The models that a key may use.' },
  { name: 'Usage', description: 'The usage log as a file.' },
  { name: 'Billing', description: 'Invoices.' },
  { name: 'Accounts', description: 'An account’s audit log and data as files.' },
  { name: 'Operation', description: 'Health and metrics.' },
] as const;

function keyHeader<const Name extends string>(
  name: Name,
): { readonly type: 'apiKey'; readonly in: 'header'; readonly name: Name; readonly description: string } {
  return { type: 'apiKey', in: 'header', name, description: 'The same key in another header.' };
}
