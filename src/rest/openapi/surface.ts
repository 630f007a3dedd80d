/** Alternative authentication headers: those of OpenAI's, Anthropic's, Azure's and Google's clients. */
export const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer sk-sluice-…`.' },
  xApiKey: keyHeader('x-api-key'),
  apiKey: keyHeader('api-key'),
  xGoogApiKey: keyHeader('x-goog-api-key'),
} as const;

/** Only of Google's API. */
export const keyOfQuery = {
  type: 'apiKey',
  in: 'query',
  name: 'key',
  description: 'The same key in the URL, as Google’s clients may send it.',
} as const;

/** Groups of operations, in the order of the reference. */
export const tags = [
  { name: 'Chat', description: 'Chat completions, compatible with OpenAI’s Chat Completions API.' },
  { name: 'Completions', description: 'Legacy completions, compatible with OpenAI’s Completions API.' },
  { name: 'Responses', description: 'Stored and background responses, compatible with OpenAI’s Responses API.' },
  { name: 'Conversations', description: 'Items that responses continue, compatible with OpenAI’s Conversations API.' },
  { name: 'Messages', description: 'Messages, compatible with Anthropic’s Messages API.' },
  { name: 'Gemini', description: 'Contents and embeddings, compatible with Google’s Gemini API.' },
  { name: 'Batches', description: 'Requests that run within a day, compatible with OpenAI’s Batch API.' },
  { name: 'Embeddings', description: 'Vector embeddings of texts.' },
  { name: 'Rerank', description: 'Documents sorted by relevance to a query.' },
  { name: 'Moderation', description: 'Classification of harmful texts and images.' },
  { name: 'Audio', description: 'Text to speech, and speech to text.' },
  { name: 'Images', description: 'Image generation, edits and variations.' },
  { name: 'Videos (beta)', description: 'Video generation in the background.' },
  { name: 'Files', description: 'Files for batches and requests, compatible with OpenAI’s Files API.' },
  { name: 'Models', description: 'The models that a key can use.' },
  { name: 'Feedback', description: 'What clients say of the quality of requests and sessions.' },
  { name: 'Usage', description: 'Exports of the usage log.' },
  { name: 'Billing', description: 'Invoices.' },
  { name: 'Accounts', description: 'Exports of the audit log and of all data of an account.' },
  { name: 'Operation', description: 'Health and metrics.' },
] as const;

function keyHeader<const Name extends string>(
  name: Name,
): { readonly type: 'apiKey'; readonly in: 'header'; readonly name: Name; readonly description: string } {
  return { type: 'apiKey', in: 'header', name, description: 'The same key in another header.' };
}
