import { describe, expect, it } from 'vitest';
import { wavTone } from '../../../harness/audio-samples.ts';
import { pieces } from '../../../harness/fake-provider.ts';
import { requestSpeech } from './speech-call.ts';

const script = pieces([wavTone(1)], 'end', 'audio/wav');
const said = { input: 'Hello there', voice: 'some-voice' };

describe('an OpenAI-compatible server', () => {
  it.each([
    ['groq', {}, { response_format: 'wav' }, null],
    [
      'groq',
      { response_format: 'mp3', instructions: 'a', speed: 1.1 },
      { response_format: 'wav', speed: 1.1 },
      'response_format, instructions',
    ],
    ['together', {}, { response_format: 'mp3' }, null],
    [
      'together',
      { response_format: 'pcm', speed: 2 },
      { response_format: 'raw', response_encoding: 'pcm_s16le', sample_rate: 24_000 },
      'speed',
    ],
    ['deepinfra', { stream_format: 'sse', speed: 2 }, { response_format: 'mp3', speed: 2 }, null],
    ['deepinfra', { response_format: 'aac' }, { response_format: 'mp3' }, 'response_format'],
    [
      'localai',
      { voice: { id: 'some-voice' }, backend: 'piper', response_format: 'opus' },
      { backend: 'piper', response_format: 'opus' },
      null,
    ],
    ['kokoro', { stream_format: 'audio', response_format: 'flac' }, { response_format: 'flac' }, null],
    ['azure-openai', { stream_format: 'sse' }, { stream_format: 'sse' }, null],
  ])('as %s converts a request with %j to %j', async (provider, request, sent, dropped) => {
    const answer = await requestSpeech({ provider, model: 'some-model', script, request });
    expect(answer.received?.path).toBe('/v1/audio/speech');
    expect(answer.received?.json).toEqual({ model: 'some-model', ...said, ...sent });
    expect(answer.headers.get('x-sluice-dropped-params')).toBe(dropped);
    expect(answer.status).toBe(200);
    expect(answer.record?.units?.media?.[0]).toEqual({ unit: 'audio_second', quantity: 1 });
  });

  it.each(['tts-1', 'tts-1-hd', 'tts-1-1106', 'tts-1-hd-1106', 'tts', 'tts-hd'])(
    'has no events as %s',
    async (model) => {
      const answer = await requestSpeech({ provider: 'openai', model, script, request: { stream_format: 'sse' } });
      expect(answer.received?.json).toEqual({ model, ...said });
      expect(answer.body.toString()).toContain('speech.audio.done');
    },
  );

  it('without speech returns an error', async () => {
    const answer = await requestSpeech({ provider: 'mistral', model: 'some-model', script });
    expect(answer.status).toBe(400);
    expect(answer.body.toString()).toContain('capability_not_supported');
  });
});
