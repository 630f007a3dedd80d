import { describe, expect, it } from 'vitest';
import { answerOf, documentOf, withGemini } from './ask.ts';

const user = { role: 'user' as const, content: 'Hello' };
const said = { role: 'user', parts: [{ text: 'Hello' }] };

describe('a request through the gateway', () => {
  it('the model is in the path alone, and what was left out is told', async () => {
    await withGemini(documentOf(answerOf([{ text: 'Hi' }])), async ({ client, requests }) => {
      const { response } = await client.chat.completions
        .create({ model: 'google/gemini-3-pro-preview', messages: [user], verbosity: 'low', temperature: 1 })
        .withResponse();
      expect(response.headers.get('x-sluice-dropped-params')).toBe('verbosity');
      expect(requests[0]?.path).toBe('/v1beta/models/gemini-3-pro-preview:generateContent');
      expect(requests[0]?.json).toEqual({ contents: [said], generationConfig: { temperature: 1 } });
    });
  });

  it('a model’s name cannot leave its place in the path', async () => {
    await withGemini(documentOf(answerOf([{ text: 'Hi' }])), async ({ client, requests }) => {
      for (const name of ['../files?x=', 'tunedModels/a/../b'])
        await expect(
          client.chat.completions.create({ model: `gemini/${name}`, messages: [user] }),
        ).rejects.toMatchObject({ status: 400, param: 'model' });
      for (const name of ['files&x=', 'tunedModels/a/b', 'models/m'])
        await client.chat.completions.create({ model: `gemini/${name}`, messages: [user] });
      expect(requests.map(({ path }) => path.replace('/v1beta/', ''))).toEqual([
        'models/files%26x%3D:generateContent',
        'tunedModels/a%2Fb:generateContent',
        'models/m:generateContent',
      ]);
    });
  });
});
