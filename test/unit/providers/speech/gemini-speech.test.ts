import { describe, expect, it } from 'vitest';
import { probed } from '../../../harness/audio.ts';
import { pcmTone } from '../../../harness/audio-samples.ts';
import { json, pieces, type Script } from '../../../harness/fake-provider.ts';
import { itWithFfmpeg } from '../../../harness/ffmpeg.ts';
import { requestSpeech, expectSeconds } from './speech-call.ts';
import { readEventData } from '../../../harness/read-events.ts';

const pcm = pcmTone(1);
const asked = {
  provider: 'gemini',
  model: 'gemini-2.5-flash-preview-tts',
  basePath: '/v1beta',
  request: { voice: 'Kore' },
};

const usageMetadata = {
  promptTokenCount: 8,
  candidatesTokenCount: 25,
  totalTokenCount: 33,
  candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 25 }],
};

function part(data: Buffer, mimeType = 'audio/L16;codec=pcm;rate=24000'): object {
  const inlineData = { mimeType, data: data.toString('base64') };
  return { candidates: [{ content: { role: 'model', parts: [{ inlineData }] }, index: 0 }] };
}

const ending = { candidates: [{ content: {}, finishReason: 'STOP', index: 0 }], usageMetadata };
const usual = [part(pcm.subarray(0, 20_000)), { news: true }, part(pcm.subarray(20_000)), ending];

/** Split at any position. */
function events(...answers: object[]): Script {
  const body = Buffer.from(answers.map((answer) => `data: ${JSON.stringify(answer)}\r\n\r\n`).join(''));
  const parts = Array.from({ length: Math.ceil(body.length / 4_999) }, (_, at) =>
    body.subarray(at * 4_999, (at + 1) * 4_999),
  );
  return pieces(parts, 'end');
}

describe('Gemini', () => {
  it('returns WAV by default, and reports its tokens', async () => {
    const answer = await requestSpeech({ ...asked, script: events(...usual) });
    expect(answer.received?.path).toBe('/v1beta/models/gemini-2.5-flash-preview-tts:streamGenerateContent?alt=sse');
    expect(answer.received?.json).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Hello there' }] }],
      generationConfig: {
        responseModalities: ['AUDIO'],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
      },
    });
    expect(answer.headers.get('content-type')).toBe('audio/wav');
    expect(answer.body.subarray(44).equals(pcm)).toBe(true);
    expectSeconds(answer, 1);
    // 0.5 USD per million text tokens, 10 per million audio tokens.
    expect(answer.record).toMatchObject({
      input_tokens: 8,
      output_tokens: 25,
      estimated: false,
      cost_nano: String(8 * 500 + 25 * 10_000),
    });
  });

  itWithFfmpeg('returns WAV that FFmpeg decodes', async () => {
    const answer = await requestSpeech({ ...asked, script: events(...usual) });
    expect(probed(answer.body)).toMatchObject({ codec: 'pcm_s16le', rate: 24_000, seconds: 1 });
  });

  it('returns raw samples', async () => {
    const answer = await requestSpeech({ ...asked, script: events(...usual), request: { response_format: 'pcm' } });
    expect(answer.headers.get('content-type')).toBe('audio/pcm');
    expect(answer.body.equals(pcm)).toBe(true);
    expectSeconds(answer, 1);
  });

  it('reports its tokens in events', async () => {
    const answer = await requestSpeech({ ...asked, script: events(...usual), request: { stream_format: 'sse' } });
    expect(readEventData(answer.body.toString()).at(-1)).toEqual({
      type: 'speech.audio.done',
      usage: { input_tokens: 8, output_tokens: 25, total_tokens: 33, cost: 0.000254 },
    });
  });

  it('receives voice instructions in the text, or as a parameter', async () => {
    const request = { voice: 'Kore', instructions: 'Say cheerfully' };
    const older = await requestSpeech({ ...asked, script: events(...usual), request });
    expect(older.received?.json.contents).toEqual([{ role: 'user', parts: [{ text: 'Say cheerfully: Hello there' }] }]);
    const newer = await requestSpeech({ ...asked, model: 'gemini-3.8-flash-tts', script: events(...usual), request });
    expect(newer.received?.json).toMatchObject({
      contents: [{ parts: [{ text: 'Hello there', speechMetadata: { style: 'Say cheerfully' } }] }],
      generationConfig: { responseFormat: { audio: { mimeType: 'AUDIO_L16' } } },
    });
  });

  it('does not receive a speed or unsupported formats', async () => {
    const request = { speed: 1.5, response_format: 'mp3' };
    const dropped = await requestSpeech({ ...asked, script: events(...usual), request });
    expect(dropped.headers.get('x-sluice-dropped-params')).toBe('speed, response_format');
    expect(dropped.headers.get('content-type')).toBe('audio/wav');
    const refused = await requestSpeech({ ...asked, script: events(...usual), request, strict: true });
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.body.toString())).toMatchObject({
      error: { code: 'unsupported_parameter', param: 'speed' },
    });
  });

  it.each([
    ['a prompt that it blocks', events({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }), 400],
    ['a text that it will not speak', events({ candidates: [{ finishReason: 'SAFETY' }] }), 400],
    [
      'an error within its stream',
      events({ error: { code: 429, message: 'Slow', status: 'RESOURCE_EXHAUSTED' } }),
      429,
    ],
    ['no audio', events(ending), 502],
    ['what is no event', pieces(['data: {"candidates"\n\n'], 'end'), 502],
    ['a refusal', json(400, { error: { code: 400, message: 'No such voice', status: 'INVALID_ARGUMENT' } }), 400],
  ])('fails without a charge on a response of %s', async (_what, script, status) => {
    const answer = await requestSpeech({ ...asked, script });
    expect(answer.status).toBe(status);
    expect(answer.record).toMatchObject({ status: 'failed', cost_nano: '0' });
  });

  it('reports a stream without a finish reason as cut', async () => {
    const script = events(part(pcm.subarray(0, 20_000)));
    const answer = await requestSpeech({ ...asked, script, request: { stream_format: 'sse' } });
    expect(answer.body.toString()).toContain('provider_stream_cut');
    expect(answer.record).toMatchObject({ status: 'failed', estimated: true });
  });
});
