import type { CallContext, Send } from '../../../contract.ts';
import type { FormField } from '../../http/form-body.ts';
import type { InputImage, ImagesRequest } from '../../media/images-request.ts';
import { refuseOrDrop } from '../../../../protocols/canonical/parameter-policy.ts';
import { withMembers } from '../../http/request-body.ts';
import type { UploadedFile } from '../../http/uploaded-file.ts';
import type { ServiceClient } from './service-client.ts';

/** How a server's images differ from OpenAI's. What is absent is as OpenAI has it. */
export interface ImagesShape {
  /** Parameters of OpenAI's that it does not take. */
  readonly unsupportedParams?: readonly string[];
  /** False for one that sends no events: it is not asked for them. */
  readonly streams?: boolean;
  /** True for one whose links may lead nowhere from here: it is always asked for the pictures themselves. */
  readonly requestsBase64?: boolean;
}

/** They always give base64, and refuse to be asked for it. Source: OpenAI's API document, CreateImageRequest, `response_format`. */
const base64Only = /gpt-image|chatgpt-image/;

const endpoints: Readonly<Record<ImagesRequest['kind'], string>> = {
  generation: '/images/generations',
  edit: '/images/edits',
  variation: '/images/variations',
};

/** Of the request that are ours, or sent as files. */
const notSent: ReadonlySet<string> = new Set(['kind', 'images', 'mask', 'model']);

/** `POST /images/generations`, `/edits` and `/variations`: JSON as the caller wrote it, forms with their files as they are read. */
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

/** Links are made here, of the pictures themselves: the provider is asked for those. */
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
