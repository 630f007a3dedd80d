import { FORMAT, isDigit, isLetter, isOfToken, kindOf, placeOf, setPairs } from './byte-kinds.ts';

const BACKSLASH = 0x5c;
const DOT = 0x2e;
/** No secret is shorter that is known by what it starts with. */
const MIN_LENGTH = 15;
/** Of the longest of these. */
const MAX_START = 10;
const formats =
  /^(?:sk-|[rsp]k_(?:live|test)|whsec|A[KS]IA|gh[pousr]_|github_pat|gl(?:pat|ptt|dt|rt|cbt|ft|soat)|xox|xapp|AIza|ya29\.|GOCSPX|hf_|npm_|gsk_|pplx|r8_|dop_v1|xai-|SG\.)/;
/** The first three characters of each. */
const starts =
  'sk- rk_ sk_ pk_ whs AKI ASI ghp gho ghu ghs ghr git glp gld glr glc glf gls xox xap AIz ya2 GOC hf_ npm gsk ppl r8_ dop xai SG.';
/** The third ones after two bytes, by their place: a bit of each, which it shares with others. */
const thirds = new Uint32Array(kindOf.length);
for (const start of starts.split(' ')) {
  const place = placeOf(start.charCodeAt(0), start.charCodeAt(1));
  thirds[place] = (thirds[place] ?? 0) | bitOf(start.charCodeAt(2));
  setPairs(start.slice(0, 2), FORMAT);
}

/** False for most bytes that follow two bytes with the start of a format. @param place of these two */
export function isThird(place: number, third = 0): boolean {
  return ((thirds[place] as number) & bitOf(third)) !== 0;
}

/** Whether a secret of a known format may start at a place. Before it is no letter and no digit, but for that of an escape. */
export function startsSecret(bytes: Buffer, start: number): boolean {
  const before = bytes[start - 1];
  if ((isLetter(before) || isDigit(before)) && bytes[start - 2] !== BACKSLASH) return false;
  if (!formats.test(bytes.toString('latin1', start, start + MAX_START))) return false;
  const minEnd = start + MIN_LENGTH;
  let at = start;
  while (at < minEnd && (isOfToken(bytes[at]) || bytes[at] === DOT)) at += 1;
  return at === minEnd;
}

function bitOf(byte: number): number {
  return 1 << (byte & 31);
}
