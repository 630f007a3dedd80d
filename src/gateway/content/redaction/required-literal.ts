/** Characters that stand for themselves in an expression, and in JSON. */
const literal = /[A-Za-z0-9 _\-:#@=,;!<>~%&']/;
/** The same after a backslash. */
const escapedLiteral = /[.*+?()[\]{}|^$\-#@]/;
/** Without width: nothing stands between the characters around it. */
const assertion = /[bBAz]/;
/** Characters that JSON may escape. */
const escapable = /["/]/;
/** A class of characters, such as `\d`. */
const classLetter = /[dDsSwW]/;
/** `[A-Z]`; not one with a bracket inside that is not escaped. */
const charactersClass = /^\[\^?(?:[^[\]\\]|\\.)+\]/;
/** `(…)` and `(?:…)` without groups or flags inside. */
const group = /^\((?:\?:|\?P?<\w+>|(?!\?))(?:[^()[\]\\]|\\[dDsSwWb.-]|\[\^?(?:[^[\]\\]|\\.)+\])*\)/;
const quantifier = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})[?]?/;

/**
 * Characters in a row that each match of an expression in RE2's syntax contains. Of an expression that is not understood
 * completely, such as one with alternatives or flags, there are none.
 * @returns the longest; empty where there are none
 */
export function requiredLiteral(pattern: string): string {
  let longest = '';
  let run = '';
  const endRun = (): void => {
    if (run.length > longest.length) longest = run;
    run = '';
  };
  for (let at = 0; at < pattern.length;) {
    const item = itemAt(pattern, at);
    if (item === null) return '';
    at += item.length;
    const [repeated = '', least] = quantifier.exec(pattern.slice(at)) ?? [];
    at += repeated.length;
    const isOptional = repeated.startsWith('*') || repeated.startsWith('?') || Number(least ?? 1) === 0;
    if (item.kind === 'character' && !isOptional) run += item.text;
    if (item.kind === 'other' || repeated !== '') endRun();
  }
  endRun();
  return longest;
}

interface Item {
  readonly kind: 'character' | 'assertion' | 'other';
  /** Of a character. */
  readonly text: string;
  /** In the expression. */
  readonly length: number;
}

/** @returns null for what is not understood */
function itemAt(pattern: string, at: number): Item | null {
  const character = pattern.charAt(at);
  const next = pattern.charAt(at + 1);
  if (literal.test(character)) return { kind: 'character', text: character, length: 1 };
  if (character === '^' || character === '$') return { kind: 'assertion', text: '', length: 1 };
  if (character === '.' || escapable.test(character)) return { kind: 'other', text: '', length: 1 };
  if (character === '[') return otherAt(pattern, at, charactersClass);
  if (character === '(') return otherAt(pattern, at, group);
  if (character !== '\\' || next === '') return null;
  if (escapedLiteral.test(next)) return { kind: 'character', text: next, length: 2 };
  if (assertion.test(next)) return { kind: 'assertion', text: '', length: 2 };
  return classLetter.test(next) || escapable.test(next) ? { kind: 'other', text: '', length: 2 } : null;
}

function otherAt(pattern: string, at: number, form: RegExp): Item | null {
  const found = form.exec(pattern.slice(at));
  return found && { kind: 'other', text: '', length: found[0].length };
}
