import type { CallContext, Send } from '../../../contract.ts';
import type { FormField } from '../../http/form-body.ts';
import type { InputImage, ImagesRequest } from '../../media/images-request.ts';
import { refuseOrDrop } from '../../../../protocols/canonical/parameter-policy.ts';
import { withMembers } from '../../http/request-body.ts';
import type { UploadedFile } from '../../http/uploaded-file.ts';
import type { ServiceClient } from './service-client.ts';

/** How a server's images differ from OpenAI's. Absent members are as at OpenAI. */
export interface ImagesShape {
  /** OpenAI parameters that it does not support. */
  readonly unsupportedParams?: readonly string[];
  /** False if it does not send events: none are requested. */
  readonly streams?: boolean;
  /** True if its links may not be reachable from here: the images themselves are always requested. */
  readonly requestsBase64?: boolean;
}

/**
 * They always return base64, and reject the parameter. Source: OpenAI's API document, CreateImageRequest,
 * `response_format`.
 */
const base64Only = /gpt-image|chatgpt-image/;

const endpoints: Readonly<Record<ImagesRequest['kind'], string>> = {
  generation: '/images/generations',
  edit: '/images/edits',
  variation: '/images/variations',
};

/** Members that the gateway handles, or that are sent as files. */
const notSent: ReadonlySet<string> = new Set(['kind', 'images', 'mask', 'model']);

/**
 * `POST /images/generations`, `/edits` and `/variations`: JSON as the client wrote it, forms with their files streamed.
 */
export function sendImages({ provider, upstream, path }: ServiceClient, shape: ImagesShape = {}): Send<ImagesRequest> {
  const { unsupportedParams = [], streams = true, requestsBase64 = false } = shape;
  const removed = streams ? unsupportedParams : [...unsupportedParams, 'stream', 'partial_images'];
  return (context, receiver) => {
    const { request, body, model, parameters } = context;
    const unsupported = unsupportedParams.filter((name) => request[name] !== undefined && request[name] !== null);
    const dropped = refuseOrDrop(provider, unsupported, parameters);
    const endpoint = path(endpoints[request.kind], model);
    const changed = {
      ...Object.fromEntries(removed.map((name) => [name, null])),
      ...responseFormatEdit(context, requestsBase64),
    };
    if (body === null) upstream.postForm(endpoint, formFields(context, changed), receiver);
    else upstream.post(endpoint, withMembers(body, { ...changed, model: JSON.stringify(model) }), receiver);
    return dropped;
  };
}

/** The gateway creates links itself: the provider is asked for the images. */
function responseFormatEdit(
  { request, model }: CallContext<ImagesRequest>,
  always: boolean,
): Record<string, string | null> {
  const { response_format: format } = request;
  if (base64Only.test(model)) return format === undefined ? {} : { response_format: null };
  if (always || typeof format === 'string') return { response_format: '"b64_json"' };
  return format === null ? { response_format: null } : {};
}

function formFields(
  { request, model }: CallContext<ImagesRequest>,
  changed: Readonly<Record<string, string | null>>,
): FormField[] {
  const members: Record<string, unknown> = { ...request };
  for (const [name, json] of Object.entries(changed)) members[name] = json === null ? null : JSON.parse(json);
  const texts = Object.entries(members).flatMap(([name, value]): FormField[] =>
    notSent.has(name) ? [] : textFields(name, value),
  );
  const files = request.images.filter(isFile);
  const name = files.length === 1 ? 'image' : 'image[]';
  const { mask } = request;
  return [
    ['model', model],
    ...texts,
    ...files.map((file): FormField => [name, file]),
    ...(mask && isFile(mask) ? [['mask', mask] as const] : []),
  ];
}

function textFields(name: string, value: unknown): FormField[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((item) => textFields(`${name}[]`, item));
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([key, item]) => textFields(`${name}[${key}]`, item));
  return [[name, String(value)]];
}

function isFile(image: InputImage): image is UploadedFile {
  return !('url' in image);
}
