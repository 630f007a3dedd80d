/** A request in a client's protocol, as its wrong forms are made of it. */
export type Template = Readonly<Record<string, unknown>>;

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const messagesTemplate: Template = {
  model: 'sandbox/chat',
  max_tokens: 20,
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
  stop_sequences: ['END'],
  temperature: 0.5,
  top_p: 0.9,
  top_k: 4,
  stream: false,
  metadata: { user_id: 'u-1' },
  service_tier: 'auto',
  tools: [
    { name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: { at: { type: 'string' } } } },
    { type: 'web_search_20250305', name: 'web_search', max_uses: 1 },
  ],
  tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  thinking: { type: 'enabled', budget_tokens: 1_024 },
  output_config: { effort: 'low', format: { type: 'json_schema', schema: { type: 'object' } } },
  container: null,
  mcp_servers: [],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is it?' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
        { type: 'document', title: 'A', source: { type: 'text', media_type: 'text/plain', data: 'A text.' } },
        { type: 'search_result', source: 'a', title: 'b', content: [{ type: 'text', text: 'c' }] },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'c2ln' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'call_1', name: 'look', input: { at: 'it' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_1', is_error: false, content: [{ type: 'text', text: 'A cat.' }] },
        { type: 'text', text: 'And?' },
      ],
    },
  ],
};

export const completionsTemplate: Template = {
  model: 'sandbox/chat',
  prompt: 'Once upon a time',
  suffix: null,
  max_tokens: 20,
  temperature: 0.5,
  top_p: 0.9,
  n: 1,
  best_of: 1,
  stream: false,
  stream_options: null,
  logprobs: null,
  echo: false,
  stop: ['END'],
  presence_penalty: 0.1,
  frequency_penalty: 0.1,
  logit_bias: { '50256': -100 },
  seed: 1,
  user: 'u-1',
};

export const geminiTemplate: Template = {
  systemInstruction: { parts: [{ text: 'Be brief.' }] },
  generationConfig: {
    maxOutputTokens: 20,
    temperature: 0.5,
    topP: 0.9,
    topK: 4,
    stopSequences: ['END'],
    candidateCount: 1,
    seed: 1,
    presencePenalty: 0.1,
    responseMimeType: 'application/json',
    responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } } },
    responseLogprobs: false,
    thinkingConfig: { thinkingBudget: 1_024, includeThoughts: true },
  },
  safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
  labels: { a: 'b' },
  tools: [
    { functionDeclarations: [{ name: 'look', description: 'Looks.', parameters: { type: 'OBJECT', properties: {} } }] },
    { googleSearch: {} },
    { code_execution: {} },
  ],
  toolConfig: { functionCallingConfig: { mode: 'VALIDATED', allowedFunctionNames: ['look'] } },
  contents: [
    {
      role: 'user',
      parts: [{ text: 'What is it?' }, { inlineData: { mimeType: 'image/png', data: png } }],
    },
    {
      role: 'model',
      parts: [
        { text: 'Hm.', thought: true },
        { functionCall: { id: 'call_1', name: 'look', args: { at: 'it' } }, thoughtSignature: 'c2ln' },
      ],
    },
    { role: 'user', parts: [{ functionResponse: { id: 'call_1', name: 'look', response: { output: 'A cat.' } } }] },
  ],
};

export const responsesTemplate: Template = {
  model: 'sandbox/chat',
  instructions: 'Be brief.',
  max_output_tokens: 20,
  temperature: 0.5,
  top_p: 0.9,
  top_logprobs: 0,
  stream: false,
  store: true,
  background: false,
  parallel_tool_calls: true,
  max_tool_calls: 2,
  truncation: 'disabled',
  service_tier: 'auto',
  metadata: { team: 'a' },
  include: ['reasoning.encrypted_content'],
  reasoning: { effort: 'low', summary: 'auto' },
  text: { verbosity: 'low', format: { type: 'json_schema', name: 'answer', schema: { type: 'object' } } },
  user: 'u-1',
  safety_identifier: 's-1',
  prompt_cache_key: 'k-1',
  tools: [
    {
      type: 'function',
      name: 'look',
      description: 'Looks.',
      strict: false,
      parameters: { type: 'object', properties: { at: { type: 'string' } } },
    },
    { type: 'custom', name: 'write', format: { type: 'text' } },
  ],
  tool_choice: 'auto',
  input: [
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'What is it?' },
        { type: 'input_image', image_url: `data:image/png;base64,${png}`, detail: 'auto' },
        { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjQ=' },
      ],
    },
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: null },
    {
      type: 'message',
      role: 'assistant',
      id: 'msg_1',
      status: 'completed',
      content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
    },
    { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '{"at":"it"}' },
    { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'A cat.' }] },
    { role: 'user', content: 'And?' },
  ],
};

/** Members of `responsesTemplate` that a request may omit, and `input` as a text. */
export const shortResponsesTemplate: Template = { model: 'sandbox/chat', input: 'Hello', stream: true, store: false };

const { input: items, instructions, tools } = responsesTemplate;

export const tokensTemplate: Template = { model: 'sandbox/chat', input: items, instructions, tools };

export const compactionTemplate: Template = {
  model: 'sandbox/chat',
  input: items,
  instructions,
  previous_response_id: null,
};

export const itemsTemplate: Template = { items };

export const conversationTemplate: Template = { metadata: { topic: 'demo' }, items };

export const embeddingTemplate: Template = {
  model: 'models/sandbox/embedding',
  content: { role: 'user', parts: [{ text: 'Hello' }] },
  taskType: 'RETRIEVAL_DOCUMENT',
  title: 'A title',
  outputDimensionality: 8,
};

export const embeddingsTemplate: Template = { requests: [embeddingTemplate, embeddingTemplate] };

export const chatTemplate: Template = {
  model: 'sandbox/chat',
  max_completion_tokens: 20,
  temperature: 0.5,
  stream: false,
  stream_options: null,
  stop: ['END'],
  metadata: { team: 'a' },
  response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } },
  tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }],
  tool_choice: 'auto',
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is it?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"it"}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'A cat.' },
  ],
};

export const messageBatchTemplate: Template = {
  requests: [
    {
      custom_id: 'first',
      params: { model: 'sandbox/chat', max_tokens: 8, messages: [{ role: 'user', content: 'Hi' }] },
    },
  ],
};

export const fileBatchTemplate: Template = {
  input_file_id: 'file-1',
  endpoint: '/v1/chat/completions',
  completion_window: '24h',
  metadata: { team: 'a' },
  output_expires_after: { anchor: 'created_at', seconds: 3_600 },
};

export const uploadTemplate: Template = {
  filename: 'a.txt',
  purpose: 'user_data',
  bytes: 6,
  mime_type: 'text/plain',
  expires_after: { anchor: 'created_at', seconds: 3_600 },
};

export const completionOfUploadTemplate: Template = {
  part_ids: ['part_1', 'part_2'],
  md5: '0123456789abcdef0123456789abcdef',
};
