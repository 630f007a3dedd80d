import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSync } from 'vite';

/** A file or function, and its length. */
export interface Sized {
  /** A file's path from `src`; of a function, with its name and line. */
  readonly name: string;
  readonly lines: number;
}

export interface SourceSize {
  /** Lines of `.ts` and `.tsx` without `generated/`. */
  readonly lines: number;
  readonly files: readonly Sized[];
  readonly functions: readonly Sized[];
}

/** Measures the source files of a folder. */
export function sourceSize(root: string): SourceSize {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.tsx?$/.test(path) && !path.split('/').includes('generated'),
  );
  const texts = paths.toSorted().map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
  const files = texts.map(({ path, text }) => ({ name: relative('.', path), lines: linesIn(text) }));
  return {
    lines: files.reduce((sum, { lines }) => sum + lines, 0),
    files,
    functions: texts.flatMap(({ path, text }) => functionsIn(path, text)),
  };
}

/** The longest ones under a folder. */
export function longest(sized: readonly Sized[], count: number, folder = ''): readonly Sized[] {
  return sized
    .filter(({ name }) => name.startsWith(folder))
    .toSorted((a, b) => b.lines - a.lines)
    .slice(0, count);
}

function linesIn(text: string): number {
  return text.split('\n').length - 1;
}

function functionsIn(path: string, text: string): Sized[] {
  const found: Sized[] = [];
  const { program, errors } = parseSync(path, text);
  const [error] = errors;
  if (error) throw new Error(`${path}: ${error.message}`);
  visit(program, '', (node, name) => {
    const [start, end] = [Number(node.start), Number(node.end)];
    const line = linesIn(text.slice(0, start)) + 1;
    found.push({ name: `${path}:${line} ${name || '(anonymous)'}`, lines: linesIn(text.slice(start, end)) + 1 });
  });
  return found;
}

type Node = Readonly<Record<string, unknown>>;

/** @param name of the member or variable that holds the node */
function visit(node: unknown, name: string, report: (node: Node, name: string) => void): void {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, name, report);
    return;
  }
  if (!isNode(node)) return;
  const own = nameOf(node) ?? name;
  const isFunction = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(String(node.type));
  if (isFunction && node.body !== null) report(node, own);
  const isNamed = /^(MethodDefinition|VariableDeclarator|PropertyDefinition|Property)$/.test(String(node.type));
  for (const [member, value] of Object.entries(node))
    if (member !== 'start' && member !== 'end') visit(value, isNamed ? own : '', report);
}

function nameOf(node: Node): string | null {
  for (const named of [node.id, node.key])
    if (isNode(named) && typeof named.name === 'string')
      return named.type === 'PrivateIdentifier' ? `#${named.name}` : named.name;
  return null;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
