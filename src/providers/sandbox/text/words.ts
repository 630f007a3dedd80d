const WORD = /[\p{L}\p{N}]+/gu;
/** The maximum length of text that is searched at once. A longer word counts as several. */
const PIECE_CHARACTERS = 8_192;

/**
 * The words of a text in lower case, in order; the beginning of the text itself if it has none. Generated lazily: a
 * long text is not split at once.
 */
export function* wordsOf(text: string): Generator<string> {
  let isFound = false;
  for (const piece of piecesOf(text))
    for (const [word] of piece.toLowerCase().matchAll(WORD)) {
      isFound = true;
      yield word;
    }
  if (!isFound) yield text.slice(0, PIECE_CHARACTERS);
}

/** Cut after a space, if there is one. */
function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const piece = text.slice(start, start + PIECE_CHARACTERS);
    const isLast = start + piece.length >= text.length;
    const cut = isLast ? piece.length : piece.lastIndexOf(' ') + 1 || piece.length;
    yield piece.slice(0, cut);
    start += cut;
  }
}
