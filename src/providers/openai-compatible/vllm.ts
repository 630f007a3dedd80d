import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';
import { sendTranscription } from '../shared/openai-compatible/services/transcription.ts';

export const vllm = openAiShaped({
  id: 'vllm',
  name: 'vLLM',
  documentation: 'https://docs.vllm.ai/en/stable/serving/openai_compatible_server.html',
  baseUrl: 'http://127.0.0.1:8000/v1',
  completions: true,
  // It stores responses only with VLLM_ENABLE_RESPONSES_API_STORE, and in memory.
  responses: { isStoring: false },
  needsKey: false,
  selfHosted: true,
  services: ['embeddings', 'rerank'],
  customServices: (client) => ({ transcription: sendTranscription(client, {}) }),
});
