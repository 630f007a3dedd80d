import type { z } from 'zod';
import { SluiceError } from '../../../errors/index.ts';
import type { ImagesRequest } from '../../../providers/shared/media/images-request.ts';
import { ImageFile } from '../../media/image-file.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';
import { knownMembers, type KnownMembers } from '../known-members.ts';
import { compileValidator, type Validator } from '../../../protocols/canonical/validation/compile-validator.ts';
import { referenced, requireSameSize, uploaded, type InspectedImage } from './input-image.ts';
import { editFormSchema, editSchema, generationSchema, MAX_IMAGES, variationFormSchema } from './schema.ts';

export type ImagesKind = ImagesRequest['kind'];

const assertGeneration: Validator<z.input<typeof generationSchema>> = compileValidator(generationSchema);
const assertEdit: Validator<z.input<typeof editSchema>> = compileValidator(editSchema);
const assertEditForm: Validator<z.input<typeof editFormSchema>> = compileValidator(editFormSchema);
const assertVariation: Validator<z.input<typeof variationFormSchema>> = compileValidator(variationFormSchema);

/** By kind. An edit is JSON or a form. */
export const imagesMembers: Readonly<Record<ImagesKind, KnownMembers>> = {
  generation: knownMembers(generationSchema),
  edit: knownMembers([editSchema, editFormSchema], { image: null }),
  variation: knownMembers(variationFormSchema, { image: null }),
};

const numbers: ReadonlySet<string> = new Set(['n', 'output_compression', 'partial_images']);
const INTEGER = /^-?\d{1,9}$/;

/** Parses a JSON body or the fields of a form. @throws SluiceError of status 400 */
export function parseImages(kind: ImagesKind, value: unknown): ImagesRequest {
  switch (kind) {
    case 'generation':
      assertGeneration(value);
      return checked({ ...value, kind, images: [] });
    case 'edit':
      return checked(isForm(value) ? parseEditForm(value) : parseEdit(value));
    case 'variation':
      return checked(parseVariation(isObject(value) ? value : {}));
  }
}

function parseEdit(value: unknown): ImagesRequest {
  assertEdit(value);
  const images = value.images.map((image, index) => referenced(image, `images[${index}]`));
  const mask = value.mask ? referenced(value.mask, 'mask') : undefined;
  requireSameSize(images[0], mask);
  return { ...value, kind: 'edit', images: images.map(({ image }) => image), mask: mask?.image };
}

function parseEditForm(fields: Readonly<Record<string, unknown>>): ImagesRequest {
  const { image, mask, ...texts } = fields;
  const members = typed(texts);
  assertEditForm(members);
  const images = uploads(image);
  const over =
    mask === undefined ? undefined : uploaded(Array.isArray(mask) && mask.length === 1 ? mask[0] : mask, 'mask');
  requireSameSize(images[0], over);
  return { ...members, kind: 'edit', images: images.map((file) => file.image), mask: over?.image };
}

function parseVariation(fields: Readonly<Record<string, unknown>>): ImagesRequest {
  const { image, ...texts } = fields;
  const members = typed(texts);
  assertVariation(members);
  const images = uploads(image);
  if (images.length > 1) throw new SluiceError('array_above_max_length', { param: 'image', values: { limit: 1 } });
  return { ...members, kind: 'variation', images: images.map((file) => file.image) };
}

/** A form is recognised by its files; one without files is told that they are missing. */
function isForm(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !('images' in value) && !isJsonReference(value.mask);
}

function isJsonReference(mask: unknown): boolean {
  return isObject(mask) && !(mask instanceof ImageFile);
}

function uploads(value: unknown): InspectedImage[] {
  if (value === undefined) throw new SluiceError('missing_required_parameter', { param: 'image' });
  if (!Array.isArray(value)) return [uploaded(value, 'image')];
  if (value.length > MAX_IMAGES)
    throw new SluiceError('array_above_max_length', { param: 'image', values: { limit: MAX_IMAGES } });
  return value.map((file, index) => uploaded(file, `image[${index}]`));
}

/** Converts form fields to the types of their JSON members. */
function typed(texts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, value]) => {
      if (numbers.has(name) && typeof value === 'string' && INTEGER.test(value)) return [name, Number(value)];
      if (name === 'stream' && (value === 'true' || value === 'false')) return [name, value === 'true'];
      return [name, value];
    }),
  );
}

/** Checks rules across members. @throws SluiceError invalid_value */
function checked(request: ImagesRequest): ImagesRequest {
  const { background, output_format: format } = request;
  if (background === 'transparent' && format === 'jpeg')
    throw new SluiceError('invalid_value', {
      param: 'background',
      values: { reason: "a JPEG cannot be transparent. Set output_format to 'png' or 'webp'." },
    });
  return request;
}
