/** A conversation is one WebSocket message of at most 1 MB. */
export const MAX_IMAGE_CHARACTERS = 800_000;
const MAX_SIDES_PX = [1_024, 768, 512, 384] as const;

/**
 * An image as a data URL, scaled down to fit.
 * @param remaining the characters that are left
 * @throws Error when the browser cannot read the image, or it is too large at every size
 */
export async function readImage(file: File, remaining: number): Promise<string> {
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new Error(`This browser cannot read the image ${file.name}. Choose a PNG, JPEG, WebP or GIF file.`);
  });
  try {
    for (const side of MAX_SIDES_PX) {
      const url = scaleToDataUrl(bitmap, side);
      if (url.length <= remaining) return url;
    }
  } finally {
    bitmap.close();
  }
  throw new Error('The images of this conversation exceed the limit of 800 kB. Start a new conversation.');
}

function scaleToDataUrl(bitmap: ImageBitmap, longest: number): string {
  const scale = Math.min(1, longest / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser cannot process images.');
  // JPEG has no transparency.
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/jpeg', 0.8);
}
