import { SluiceError } from '../../errors/index.ts';
import type { Send } from '../contract.ts';
import type { FormField } from '../shared/http/form-body.ts';
import { answerPromise } from '../shared/http/answer-promise.ts';
import { collected } from '../shared/chat/collected-answer.ts';
import type { HttpUpstream } from '../shared/http/http-upstream.ts';
import {
  imagesAnswer,
  inCalls,
  noImageError,
  opaqueMask,
  ratioOf,
  rejectMask,
  requireBytes,
  requireImageCount,
  requireKind,
  requestedSize,
  unsupportedImageParameters,
  type ImageBytes,
} from '../shared/media/images-translation.ts';
import type { ImagesRequest } from '../shared/media/images-request.ts';
import { refuseOrDrop } from '../../protocols/canonical/parameter-policy.ts';
import { parsedAnswer } from '../shared/http/posted-json.ts';
import { memoryFile } from './memory-file.ts';

const ratios = ['1:1', '16:9', '9:16', '21:9', '9:21', '2:3', '3:2', '4:5', '5:4'];
const own = ['negative_prompt', 'seed', 'style_preset', 'strength', 'cfg_scale'];
/** The default strength of an edit, which the provider requires. */
const DEFAULT_STRENGTH = 0.7;

interface Endpoint {
  readonly path: string;
  /** The model's name in the form; null where the path determines it. */
  readonly model: string | null;
  readonly edits: boolean;
  readonly formats: readonly string[];
}

const withMask: Endpoint = {
  path: '/v2beta/stable-image/edit/inpaint',
  model: null,
  edits: true,
  formats: ['png', 'jpeg', 'webp'],
};

/** Null for a name that is not one of its image models. */
function endpointOf(model: string): Endpoint | null {
  const generate = '/v2beta/stable-image/generate';
  const name = model.replace(/^stable-image-/, '');
  if (name === 'inpaint') return withMask;
  if (name === 'ultra') return { path: `${generate}/ultra`, model: null, edits: true, formats: withMask.formats };
  if (name === 'core') return { path: `${generate}/core`, model: null, edits: false, formats: withMask.formats };
  if (/^sd3(?:[.-]|$)/.test(name)) return { path: `${generate}/sd3`, model, edits: true, formats: ['png', 'jpeg'] };
  return null;
}

/**
 * Stability's images: one per call, as a form; edits of an image, and edits with a mask at their own endpoint. Source:
 * platform.stability.ai/docs/api-reference, v2beta: generate and edit (inpaint).
 */
export function stabilityImages(provider: string, upstream: HttpUpstream): Send<ImagesRequest> {
  return ({ request, model, parameters }, receiver) => {
    const endpoint = endpointOf(model);
    if (endpoint === null) throw new SluiceError('model_not_found', { values: { model } });
    requireKind(provider, request, 'generation', ...(endpoint.edits ? ['edit' as const] : []));
    if (endpoint !== withMask) rejectMask(provider, request);
    requireImageCount(request, 1);
    const isEdit = request.kind === 'edit';
    const ratio = isEdit ? null : ratioOf(requestedSize(request), ratios);
    const format = request.output_format ?? null;
    const isFormatSupported = format !== null && endpoint.formats.includes(format);
    const supported = [...own, ...(ratio === null ? [] : ['size']), ...(isFormatSupported ? ['output_format'] : [])];
    const dropped = refuseOrDrop(provider, unsupportedImageParameters(request, supported), parameters);
    answerPromise(receiver, async (signal) => {
      const [image] = request.images;
      const original = image && (await requireBytes(provider, image));
      const mask = request.mask && (await opaqueMask(provider, request.mask, 'white'));
      const fields: FormField[] = [
        ['prompt', request.prompt ?? ''],
        ...textField('model', endpoint.model),
        ...textField('aspect_ratio', ratio),
        ...textField('output_format', isFormatSupported ? format : null),
        ...own.flatMap((name) => textField(name, request[name])),
        ...fileField('image', original),
        ...fileField('mask', mask),
      ];
      if (original && endpoint.model !== null) fields.push(['mode', 'image-to-image']);
      if (original && endpoint !== withMask && request.strength == null)
        fields.push(['strength', String(DEFAULT_STRENGTH)]);
      const images = await inCalls(request.n ?? 1, 1, signal, async (_one, ending) => {
        const path = upstream.path(endpoint.path);
        const { body } = await collected(provider, ending, (collector) => upstream.postForm(path, fields, collector));
        return imageOf(provider, parsedAnswer(provider, body));
      });
      return imagesAnswer(provider, images);
    });
    return dropped;
  };
}

/** @throws SluiceError provider_error for an image that was filtered */
function imageOf(provider: string, { image, finish_reason: reason }: Readonly<Record<string, unknown>>): string {
  if (typeof image === 'string' && image !== '' && reason !== 'CONTENT_FILTERED') return image;
  if (reason === 'CONTENT_FILTERED') throw noImageError(provider);
  throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no image' });
}

function textField(name: string, value: unknown): FormField[] {
  return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [];
}

function fileField(name: string, bytes: ImageBytes | undefined): FormField[] {
  return bytes === undefined ? [] : [[name, memoryFile(name, bytes)]];
}
