const words = Array.from({ length: 100 }, (_, index) => ` word${index}`);

function namedEvent(event: { readonly type: string }): Buffer {
  return Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

/** As Anthropic's Messages API streams it. */
const messages = [
  {
    type: 'message_start',
    message: {
      id: 'msg_bench',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [],
      stop_reason: null,
      usage: { input_tokens: 12, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ...words.map((text) => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text },
  })),
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 100 } },
  { type: 'message_stop' },
].map(namedEvent);

const response = {
  id: 'resp_bench',
  object: 'response',
  created_at: 1_795_000_000,
  status: 'in_progress',
  error: null,
  incomplete_details: null,
  model: 'gpt-4.1-mini',
  output: [] as object[],
  parallel_tool_calls: true,
  service_tier: 'default',
  store: false,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  usage: null as object | null,
};
const item = { id: 'msg_bench', type: 'message', role: 'assistant', status: 'in_progress', content: [] as object[] };
const part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
const text = words.join('');
const done = { ...item, status: 'completed', content: [{ ...part, text }] };
const place = { item_id: item.id, output_index: 0, content_index: 0 };

/** As OpenAI's Responses API streams it. */
const responses = [
  { type: 'response.created', response },
  { type: 'response.in_progress', response },
  { type: 'response.output_item.added', output_index: 0, item },
  { type: 'response.content_part.added', ...place, part },
  ...words.map((delta) => ({
    type: 'response.output_text.delta',
    ...place,
    delta,
    logprobs: [],
    obfuscation: 'aZ3kQ',
  })),
  { type: 'response.output_text.done', ...place, text, logprobs: [] },
  { type: 'response.content_part.done', ...place, part: { ...part, text } },
  { type: 'response.output_item.done', output_index: 0, item: done },
  {
    type: 'response.completed',
    response: {
      ...response,
      status: 'completed',
      output: [done],
      usage: {
        input_tokens: 12,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 100,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 112,
      },
    },
  },
].map((event, sequence) => namedEvent(Object.assign(event, { sequence_number: sequence })));

/** As Google's Gemini API streams it. */
const gemini = words.map((word, index) =>
  Buffer.from(
    `data: ${JSON.stringify({
      candidates: [
        {
          content: { parts: [{ text: word }], role: 'model' },
          ...(index === words.length - 1 && { finishReason: 'STOP' }),
          index: 0,
        },
      ],
      usageMetadata: {
        promptTokenCount: 12,
        candidatesTokenCount: index + 1,
        totalTokenCount: 13 + index,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: 12 }],
      },
      modelVersion: 'gemini-2.5-flash',
      responseId: 'bench',
    })}\r\n\r\n`,
  ),
);

/** The streams of providers that speak another protocol than chat, by path. Each has 100 words. */
export const streams = [
  { pattern: /\/messages$/, events: messages },
  { pattern: /\/responses$/, events: responses },
  { pattern: /:streamGenerateContent/, events: gemini },
] as const;
