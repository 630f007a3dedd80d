/** Numbers that are the same at every run: from 0 to below `limit`. */
export class Sequence {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  below(limit: number): number {
    // Numerical Recipes’ generator. Its low bits repeat early.
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }

  oneOf<T>(items: readonly [T, ...T[]]): T {
    return items[this.below(items.length)] ?? items[0];
  }
}

const english = [
  'account answer bridge budget carry change client common copper course daily detail doubt early engine evening',
  'field figure follow garden gather handle harbour island keep known letter limit listen many market measure',
  'morning number often order paper people piece place price quiet reason record request river season second',
  'separate server settle several simple spring station street summer table though together travel under value',
  'village water weather while window winter without wonder worker written yellow the of and to in is that it for on',
]
  .join(' ')
  .split(' ') as [string, ...string[]];

const chinese =
  '我们 今天 需要 检查 系统 问题 数据 服务 请求 时间 文件 用户 如果 但是 所以 可以 没有 一个 这个 那些 城市 河流 天气 朋友 工作 学习 开始 结束 速度 价格 记录 数字 学校 早上 晚上 因为 已经 非常 重要 的 了 在 和 是 不 有 也'.split(
    ' ',
  ) as [string, ...string[]];

const names = ['Zoë', 'Jürgen', 'Łukasz', 'Åsa', 'Noël', '李雷', 'Иван', 'José'] as const;
const emoji = ['🚀', '🙂', '👩‍💻', '✅', '🇨🇦', '🔥'] as const;

function sentence(sequence: Sequence, words: readonly [string, ...string[]], space: string, end: string): string {
  const count = 6 + sequence.below(14);
  return Array.from({ length: count }, () => sequence.oneOf(words)).join(space) + end;
}

function codeLine(sequence: Sequence, number: number): string {
  const name = `${sequence.oneOf(english)}${number}`;
  const text = `"${sequence.oneOf(names)}"\\t\\"${sequence.oneOf(english)}\\"\\n`;
  return sequence.oneOf([
    `\tconst ${name} = 'it\\'s ${text}';\n`,
    `\tif (${name} !== null && /^[\\w\\\\.-]+\\/\\d{2,}$/u.test(${name})) return \`\${${name}} ${sequence.oneOf(emoji)}\`;\n`,
    `\t// ${sentence(sequence, english, ' ', '')} (${sequence.oneOf(names)})\n`,
    `\tlog({ "${name}": "C:\\\\${sequence.oneOf(english)}\\\\${number}", 'total': ${sequence.below(100_000)} });\n}\n\n`,
  ]);
}

function jsonRecord(sequence: Sequence, id: number): string {
  return `${JSON.stringify({
    id,
    name: sequence.oneOf(names),
    note: `${sentence(sequence, english, ' ', '.')}\n"${sequence.oneOf(emoji)}"`,
    tags: [sequence.oneOf(english), sequence.oneOf(chinese)],
    // As arguments and results of tools have it: JSON in a string of JSON.
    payload: JSON.stringify({ path: `C:\\${sequence.oneOf(english)}`, quoted: `"${sequence.oneOf(names)}"\n`, id }),
  })}\n`;
}

const pieces = {
  english: (sequence: Sequence) => sentence(sequence, english, ' ', '. '),
  chinese: (sequence: Sequence) => sentence(sequence, chinese, '', '。'),
  code: codeLine,
  json: jsonRecord,
} satisfies Record<string, (sequence: Sequence, number: number) => string>;

export type TextKind = keyof typeof pieces;
export const textKinds: readonly TextKind[] = ['english', 'chinese', 'code', 'json'];

/** @returns a text of `bytes` of UTF-8 at least, and at most one sentence, line or record more */
export function textOf(kind: TextKind, bytes: number, seed = 1): string {
  const sequence = new Sequence(seed);
  const parts: string[] = [];
  for (let length = 0, number = 0; length < bytes; number++) {
    const piece = pieces[kind](sequence, number);
    parts.push(piece);
    length += Buffer.byteLength(piece);
  }
  return parts.join('');
}
