import type { Send } from '../../contract.ts';
import { answerPromise, type CompleteAnswer } from '../../shared/http/answer-promise.ts';
import type { HttpUpstream } from '../../shared/http/http-upstream.ts';
import {
  imagesAnswer,
  inCalls,
  ratioOf,
  rejectMask,
  requireBytes,
  requireImageCount,
  requireKind,
  requestedSize,
  unsupportedImageParameters,
  type ImageTokenCounts,
} from '../../shared/media/images-translation.ts';
import type { ImagesRequest } from '../../shared/media/images-request.ts';
import { refuseOrDrop } from '../../../protocols/canonical/parameter-policy.ts';
import { parsedAnswer, postedJson } from '../../shared/http/posted-json.ts';
import { listOf, objectOf, textOf } from '../../../protocols/canonical/json-members.ts';
import { chatUsage } from '../../../protocols/gemini/usage.ts';

const IMAGEN = /(?:^|\/)imagen-/;
const imagenRatios = ['1:1', '3:4', '4:3', '9:16', '16:9'];
const geminiRatios = [...imagenRatios, '3:2', '2:3', '4:5', '5:4', '21:9'];
const IMAGEN_PER_CALL = 4;
/** For Gemini's own models: 14 in the newest; the provider rejects more for the others. */
const MAX_IMAGES = 14;

interface GeminiContext {
  readonly provider: string;
  readonly upstream: HttpUpstream;
  readonly resource: (model: string) => string;
}

/**
 * Google's images: Imagen by `:predict`, Gemini's image models by `:generateContent`, one per call. Sizes are aspect
 * ratios. Source: ai.google.dev/gemini-api/docs/imagen and /image-generation.
 */
export function geminiImages(
  provider: string,
  upstream: HttpUpstream,
  resource: (model: string) => string,
): Send<ImagesRequest> {
  const context = { provider, upstream, resource };
  return ({ request, model, parameters }, receiver) => {
    const isImagen = IMAGEN.test(model);
    requireKind(provider, request, 'generation', ...(isImagen ? [] : ['edit' as const]));
    rejectMask(provider, request);
    requireImageCount(request, MAX_IMAGES);
    const ratio = ratioOf(requestedSize(request), isImagen ? imagenRatios : geminiRatios);
    const supported = [...(ratio === null ? [] : ['size']), ...(isImagen ? imagenMembers(request) : ['seed'])];
    const dropped = refuseOrDrop(provider, unsupportedImageParameters(request, supported), parameters);
    const call = { ...context, model, request, ratio };
    answerPromise(receiver, (signal) => (isImagen ? byImagen(call, signal) : byGemini(call, signal)));
    return dropped;
  };
}

interface ImagesCall extends GeminiContext {
  readonly model: string;
  readonly request: ImagesRequest;
  readonly ratio: string | null;
}

function imagenMembers({ output_format: format }: ImagesRequest): string[] {
  if (format === 'jpeg') return ['output_format', 'output_compression'];
  return format === 'png' ? ['output_format'] : [];
}

async function byImagen(call: ImagesCall, signal: AbortSignal): Promise<CompleteAnswer> {
  const { provider, request, ratio } = call;
  const { output_format: format, output_compression: compression } = request;
  const mimeType = format === 'png' || format === 'jpeg' ? `image/${format}` : null;
  const answers = await inCalls(request.n ?? 1, IMAGEN_PER_CALL, signal, async (sampleCount, ending) => {
    const parameters = {
      sampleCount,
      ...(ratio !== null && { aspectRatio: ratio }),
      ...(mimeType !== null && {
        outputOptions: {
          mimeType,
          ...(format === 'jpeg' && compression != null && { compressionQuality: compression }),
        },
      }),
    };
    const answer = await posted(call, 'predict', { instances: [{ prompt: request.prompt }], parameters }, ending);
    // A filtered image has a reason in place of its bytes.
    return listOf(answer.predictions).flatMap((prediction) => {
      const base64 = textOf(objectOf(prediction)?.bytesBase64Encoded);
      const revised = textOf(objectOf(prediction)?.prompt);
      return base64 === null ? [] : [{ b64_json: base64, ...(revised !== null && { revised_prompt: revised }) }];
    });
  });
  return imagesAnswer(provider, answers.flat());
}

async function byGemini(call: ImagesCall, signal: AbortSignal): Promise<CompleteAnswer> {
  const { provider, request, ratio } = call;
  const inputs = await Promise.all(request.images.map((image) => requireBytes(provider, image)));
  const parts = [
    ...inputs.map(({ mediaType: mimeType, base64: data }) => ({ inlineData: { mimeType, data } })),
    { text: request.prompt },
  ];
  const body = {
    contents: [{ role: 'user', parts }],
    generationConfig: {
      responseModalities: ['IMAGE'],
      ...(ratio !== null && { imageConfig: { aspectRatio: ratio } }),
      ...(typeof request.seed === 'number' && { seed: request.seed }),
    },
  };
  const answers = await inCalls(request.n ?? 1, 1, signal, (_one, ending) =>
    posted(call, 'generateContent', body, ending),
  );
  return imagesAnswer(provider, answers.flatMap(imagesOf), answers.map(tokensOf));
}

async function posted(
  { provider, upstream, resource, model }: ImagesCall,
  method: string,
  body: object,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const path = upstream.path(`/${resource(model)}:${method}`);
  return parsedAnswer(provider, await postedJson({ provider, upstream, path, body: JSON.stringify(body), signal }));
}

/** Drafts of a model that thinks in images are not part of its response. */
function imagesOf({ candidates }: Readonly<Record<string, unknown>>): string[] {
  return listOf(candidates).flatMap((candidate) =>
    listOf(objectOf(objectOf(candidate)?.content)?.parts).flatMap((part) => {
      const content = objectOf(part);
      const data = content?.thought === true ? null : textOf(objectOf(content?.inlineData)?.data);
      return data === null ? [] : [data];
    }),
  );
}

function tokensOf({ usageMetadata }: Readonly<Record<string, unknown>>): ImageTokenCounts | null {
  const usage = chatUsage(usageMetadata);
  if (usage === null) return null;
  const { inputTokens, outputTokens, imageInputTokens = 0, imageOutputTokens = 0 } = usage;
  const hasImageTokens = imageOutputTokens > 0;
  return {
    input: inputTokens,
    output: outputTokens,
    imageInput: imageInputTokens,
    imageOutput: hasImageTokens ? imageOutputTokens : null,
  };
}
