/** A conversation goes over the socket as one message, of 1 MB at most. */
export const MAX_IMAGE_CHARACTERS = 800_000;
const MAX_SIDES_PIXELS = [1_024, 768, 512, 384] as const;

/**
 * A picture as a data URL that is small enough to go along; large ones are made smaller.
 * @param room characters that are left
 * @throws Error where the browser cannot read it, or it stays too large
 */
export async function readPicture(file: File, room: number): Promise<string> {
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new Error(`${file.name} is no picture that this browser can read.`);
  });
  try {
    for (const side of MAX_SIDES_PIXELS) {
      const url = draw(bitmap, side);
      if (url.length <= room) return url;
    }
  } finally {
    bitmap.close();
  }
  throw new Error('There is no more room for pictures in this conversation. Begin a new one.');
}

function draw(bitmap: ImageBitmap, longest: number): string {
  const scale = Math.min(1, longest / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser cannot draw pictures.');
  // JPEG knows no transparency.
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/jpeg', 0.8);
}
