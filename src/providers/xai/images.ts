import type { Send } from '../contract.ts';
import type { ServiceClient } from '../shared/openai-compatible/services/service-client.ts';
import { answerPromise } from '../shared/http/answer-promise.ts';
import {
  ratioOf,
  rejectMask,
  requireImageCount,
  requireKind,
  requestedSize,
  unsupportedImageParameters,
  urlOf,
} from '../shared/media/images-translation.ts';
import type { ImagesRequest } from '../shared/media/images-request.ts';
import { refuseOrDrop } from '../../protocols/canonical/parameter-policy.ts';
import { postedJson } from '../shared/http/posted-json.ts';

const ratios = ['1:1', '3:4', '4:3', '9:16', '16:9', '2:3', '3:2', '9:19.5', '19.5:9', '9:20', '20:9', '1:2', '2:1'];
const own = ['aspect_ratio', 'resolution'];
const qualities: readonly unknown[] = ['low', 'medium', 'high'];
const MAX_IMAGES = 5;

/**
 * xAI's images: OpenAI's response format, but an aspect ratio in place of a size, and edits as JSON that contains the
 * images. Source: docs.x.ai, image generation and image edits.
 */
export function xaiImages({ provider, upstream, path }: ServiceClient): Send<ImagesRequest> {
  return ({ request, model, parameters }, receiver) => {
    requireKind(provider, request, 'generation', 'edit');
    rejectMask(provider, request);
    requireImageCount(request, MAX_IMAGES);
    const ratio = ratioOf(requestedSize(request), ratios);
    const isQualitySupported = qualities.includes(request.quality);
    const supported = [...own, ...(ratio === null ? [] : ['size']), ...(isQualitySupported ? ['quality'] : [])];
    const dropped = refuseOrDrop(provider, unsupportedImageParameters(request, supported), parameters);
    const { prompt, n, user, quality, images, kind } = request;
    const members = {
      model,
      prompt,
      ...(n != null && { n }),
      ...(user != null && { user }),
      ...(isQualitySupported && { quality }),
      ...(ratio !== null && { aspect_ratio: ratio }),
      ...Object.fromEntries(own.flatMap((name) => (request[name] == null ? [] : [[name, request[name]]]))),
      response_format: 'b64_json',
    };
    const endpoint = path(kind === 'edit' ? '/images/edits' : '/images/generations', model);
    if (kind === 'generation') upstream.post(endpoint, JSON.stringify(members), receiver);
    else
      answerPromise(receiver, async (signal) => {
        const inputs = await Promise.all(images.map(async (image) => ({ type: 'image_url', url: await urlOf(image) })));
        const body = JSON.stringify({
          ...members,
          ...(inputs.length === 1 ? { image: inputs[0] } : { images: inputs }),
        });
        const answer = await postedJson({ provider, upstream, path: endpoint, body, signal });
        return { contentType: 'application/json', body: answer };
      });
    return dropped;
  };
}
