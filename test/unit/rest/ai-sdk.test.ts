import { createCohere } from '@ai-sdk/cohere';
import { createOpenAI } from '@ai-sdk/openai';
import {
  cosineSimilarity,
  embed,
  embedMany,
  generateImage,
  generateSpeech,
  generateText,
  rerank,
  transcribe,
} from 'ai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

let gateway: TestGateway;
let sluice: ReturnType<typeof createOpenAI>;

beforeAll(async () => {
  gateway = await startGateway();
  sluice = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret });
});
afterAll(() => gateway.close());

/** The AI SDK's own functions against each capability that it has a call for. */
it('generates text', async () => {
  const { text, usage } = await generateText({ model: sluice.chat('sandbox/chat'), prompt: 'Hello there' });
  expect(text).toContain('Hello there');
  expect(usage.outputTokens).toBeGreaterThan(5);
});

it('embeds one text and many', async () => {
  const model = sluice.embedding('sandbox/embedding');
  const values = ['the cat sat on the mat', 'the cat sat on a mat', 'quarterly revenue grew'];
  const { embeddings, usage } = await embedMany({ model, values });
  const [first = [], near = [], far = []] = embeddings;
  expect(cosineSimilarity(first, near)).toBeGreaterThan(cosineSimilarity(first, far));
  expect(usage.tokens).toBeGreaterThan(10);
  const { embedding } = await embed({ model, value: values[0] ?? '' });
  expect(embedding).toEqual(first);
});

it('reranks documents', async () => {
  const cohere = createCohere({ baseURL: `${gateway.url}/v1`, apiKey: secret });
  const { ranking } = await rerank({
    model: cohere.reranking('sandbox/rerank'),
    query: 'a cat on a mat',
    documents: ['quarterly revenue grew', 'the cat sat on a mat'],
  });
  expect(ranking[0]?.originalIndex).toBe(1);
});

it('generates images', async () => {
  const { images } = await generateImage({
    model: sluice.image('sandbox/image'),
    prompt: 'a red fox',
    size: '256x256',
    n: 2,
  });
  expect(images).toHaveLength(2);
  for (const { uint8Array } of images) expect(Buffer.from(uint8Array).subarray(1, 4).toString()).toBe('PNG');
});

it('generates speech and transcribes it', async () => {
  const { audio } = await generateSpeech({
    model: sluice.speech('sandbox/speech'),
    text: 'The gate is open, and the water may pass.',
    voice: 'alloy',
    outputFormat: 'wav',
  });
  expect(Buffer.from(audio.uint8Array).subarray(0, 4).toString()).toBe('RIFF');
  const heard = await transcribe({ model: sluice.transcription('sandbox/transcription'), audio: audio.uint8Array });
  expect(heard.text.length).toBeGreaterThan(10);
  expect(heard.durationInSeconds).toBeGreaterThan(1);
});
