import { parseSync } from 'vite';

/** Where the code of a source file can be run or not, as offsets into its text. */
export interface SourcePositions {
  readonly statements: readonly number[];
  /** Where the arms of conditions begin: of `if`, `?:`, `&&`, `||`, `??`, `case` and default values. */
  readonly branches: readonly number[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

const NOT_RUN = new Set([
  'BlockStatement',
  'EmptyStatement',
  'FunctionDeclaration',
  'ClassDeclaration',
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ExportDefaultDeclaration',
]);

export function positionsOf(path: string, text: string): SourcePositions {
  const { program } = parseSync(path, text);
  const statements: number[] = [];
  const branches: number[] = [];
  visit(program, statements, branches);
  return { statements, branches };
}

function visit(node: unknown, statements: number[], branches: number[]): void {
  if (Array.isArray(node)) for (const each of node) visit(each, statements, branches);
  if (!isNode(node) || node.declare === true) return;
  // Types leave nothing to run; an assertion's expression does.
  if (node.type.startsWith('TS') && !('expression' in node)) return;
  if (isStatement(node)) statements.push(node.start);
  if (node.type === 'ArrowFunctionExpression' && isNode(node.body) && node.body.type !== 'BlockStatement')
    statements.push(node.body.start);
  for (const arm of arms(node)) if (isNode(arm)) branches.push(arm.start);
  for (const [name, member] of Object.entries(node))
    if (name !== 'typeAnnotation' && typeof member === 'object') visit(member, statements, branches);
}

function isStatement(node: Node): boolean {
  if (NOT_RUN.has(node.type)) return false;
  return node.type.endsWith('Statement') || node.type === 'VariableDeclaration';
}

function arms(node: Node): unknown[] {
  if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') return [node.consequent, node.alternate];
  if (node.type === 'LogicalExpression' || node.type === 'AssignmentPattern') return [node.right];
  if (node.type === 'SwitchCase' && Array.isArray(node.consequent)) return node.consequent.slice(0, 1);
  return [];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
