const MAX_BYTES_LENGTH = 16 * 1024 * 1024;

/** A body as text. @throws if it exceeds the limit: the server may be anyone's */
export async function boundedText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > MAX_BYTES_LENGTH) throw new Error(`the answer is longer than ${MAX_BYTES_LENGTH} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
