import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { AiSdkProvider } from '../../../../src/providers/bridge/ai-sdk-provider.ts';
import { amazonBedrock } from '../../../../src/providers/amazon-bedrock/amazon-bedrock.ts';
import { assemblyAi } from '../../../../src/providers/assemblyai/assemblyai.ts';
import { blackForestLabs } from '../../../../src/providers/black-forest-labs/black-forest-labs.ts';
import { cohere } from '../../../../src/providers/cohere/cohere.ts';
import { deepgram } from '../../../../src/providers/deepgram/deepgram.ts';
import { elevenLabs } from '../../../../src/providers/elevenlabs/elevenlabs.ts';
import { fal } from '../../../../src/providers/fal/fal.ts';
import { googleVertex } from '../../../../src/providers/google-vertex/google-vertex.ts';
import { luma } from '../../../../src/providers/luma/luma.ts';
import { replicate } from '../../../../src/providers/replicate/replicate.ts';
import { breach } from '../../architecture/dependency-rule.ts';
import { importsOf } from '../../../harness/source-imports.ts';
import { startFakeProvider } from '../../../harness/fake-provider.ts';

const media = [assemblyAi, blackForestLabs, deepgram, elevenLabs, fal, luma, replicate];
const all: AiSdkProvider[] = [amazonBedrock, cohere, googleVertex, ...media];

const settings = {
  id: 'it',
  apiKey: 'its-key',
  baseUrl: undefined,
  connectTimeoutMs: 60_000,
  options: { region: 'eu-west-1', project: 'p', location: 'global' },
};

const hello = [{ role: 'user', content: 'Hello' }] as const;

describe('an AI SDK package', () => {
  it.each(all)('creates the model kinds that $id declares', async (provider) => {
    const connection = provider.open(settings);
    const models = await connection.models();
    expect(Object.keys(models).toSorted()).toEqual(provider.kinds.toSorted());
    // In express mode Vertex has no transcription.
    const made = Object.entries(models).filter(([kind]) => provider !== googleVertex || kind !== 'transcription');
    for (const [, make] of made) {
      const model: { readonly specificationVersion: string; readonly modelId: string } = make('a-model');
      expect(model).toMatchObject({ specificationVersion: 'v4', modelId: 'a-model' });
    }
    expect(await connection.models()).toBe(models);
    await connection.close();
  });

  it.each(media)('of $id has no chat models', async (provider) => {
    const connection = provider.open(settings);
    const request = { messages: hello };
    const context = {
      model: 'm',
      request,
      stream: false,
      wantsUsage: false,
      requestId: 'r',
      parameters: 'drop' as const,
    };
    const silent = () => expect.unreachable();
    const receiver = {
      onConnecting: silent,
      onHead: silent,
      onData: silent,
      onParts: silent,
      onResult: silent,
      onEnd: silent,
      onFailure: silent,
    };
    expect(() => connection.chat({ ...context, body: Buffer.from('{}') }, receiver)).toThrow(
      expect.objectContaining({ code: 'capability_not_supported', status: 400 }),
    );
    expect(await connection.listModels()).toEqual([]);
    await connection.close();
  });

  it('uses the connection’s sockets and base URL, also for forms', async () => {
    const upstream = await startFakeProvider((request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ language_code: 'en', language_probability: 1, text: 'said', words: [] }));
    });
    const connection = elevenLabs.open({ ...settings, baseUrl: upstream.url.replace(/\/v1$/, '') });
    const { transcription } = await connection.models();
    const audio = new Uint8Array([1, 2, 3]);
    const heard = await transcription?.('scribe_v1').doGenerate({ audio, mediaType: 'audio/wav' });
    expect(heard).toMatchObject({ text: 'said' });
    expect(upstream.requests[0]).toMatchObject({ path: '/v1/speech-to-text', headers: { 'xi-api-key': 'its-key' } });
    expect(upstream.requests[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(upstream.requests[0]?.body).toContain('scribe_v1');
    await connection.close();
    await upstream.close();
  });

  it('is loaded by the first call that needs it', async () => {
    const script = fileURLToPath(new URL('loaded-files.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script]);
    expect(JSON.parse(stdout)).toEqual({
      atStart: 0,
      opened: 0,
      answered: 'provider_unreachable',
      called: expect.any(Number),
    });
    expect(JSON.parse(stdout).called).toBeGreaterThan(0);
  });

  it.each([
    ['providers/openai-compatible/openai.ts', false],
    ['gateway/x.ts', false],
    ['providers/cohere/cohere.ts', true],
    ['providers/bridge/x.ts', true],
  ])('may be imported by %s: %s', (path, allowed) => {
    const [found] = importsOf(path, `const x = await import('@ai-sdk/cohere');`).map(breach);
    expect(found === null).toBe(allowed);
  });
});
