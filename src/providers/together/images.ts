import type { Send } from '../contract.ts';
import type { ServiceClient } from '../shared/openai-compatible/services/service-client.ts';
import { answerPromise } from '../shared/http/answer-promise.ts';
import {
  imagesAnswer,
  inCalls,
  rejectMask,
  requireImageCount,
  requireKind,
  requestedSize,
  unsupportedImageParameters,
  urlOf,
} from '../shared/media/images-translation.ts';
import type { ImagesRequest } from '../shared/media/images-request.ts';
import { refuseOrDrop } from '../../protocols/canonical/parameter-policy.ts';
import { parsedAnswer, postedJson } from '../shared/http/posted-json.ts';
import { isObject } from '../../protocols/canonical/json-members.ts';

const MAX_PER_CALL = 4;
const own = ['seed', 'steps', 'negative_prompt', 'guidance_scale', 'image_loras', 'disable_safety_checker'];
const formats: readonly unknown[] = ['png', 'jpeg'];

/**
 * Together's images: sides in pixels, at most four per call; an edit is a generation with an input image. Source:
 * docs.together.ai, images overview and API reference.
 */
export function togetherImages({ provider, upstream, path }: ServiceClient): Send<ImagesRequest> {
  return ({ request, model, parameters }, receiver) => {
    requireKind(provider, request, 'generation', 'edit');
    rejectMask(provider, request);
    requireImageCount(request, 1);
    const isFormatSupported = formats.includes(request.output_format);
    const supported = [...own, 'size', ...(isFormatSupported ? ['output_format'] : [])];
    const dropped = refuseOrDrop(provider, unsupportedImageParameters(request, supported), parameters);
    answerPromise(receiver, async (signal) => {
      const [image] = request.images;
      const members = {
        model,
        prompt: request.prompt,
        ...requestedSize(request),
        ...(isFormatSupported && { output_format: request.output_format }),
        ...Object.fromEntries(own.flatMap((name) => (request[name] == null ? [] : [[name, request[name]]]))),
        ...(image && { image_url: await urlOf(image) }),
        response_format: 'base64',
      };
      const answers = await inCalls(request.n ?? 1, MAX_PER_CALL, signal, async (n, ending) => {
        const body = JSON.stringify({ ...members, n });
        const call = { provider, upstream, path: path('/images/generations', model), body, signal: ending };
        return imagesOf(parsedAnswer(provider, await postedJson(call)));
      });
      return imagesAnswer(provider, answers.flat());
    });
    return dropped;
  };
}

function imagesOf({ data }: Readonly<Record<string, unknown>>): string[] {
  const items: unknown[] = Array.isArray(data) ? data : [];
  return items.flatMap((item) => (isObject(item) && typeof item.b64_json === 'string' ? [item.b64_json] : []));
}
