import { parseSync } from 'vite';
import type { FaultKind } from './fault.ts';

export interface Candidate {
  readonly file: string;
  readonly kind: FaultKind;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

interface Surroundings {
  readonly parent: SyntaxNode | null;
  /** A negated loop condition hangs or never runs: a hang costs the whole time limit and says little. */
  readonly inLoopTest: boolean;
}

const negations: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
};
const shifts: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const arithmetic = new Set(['+', '-', '*', '/', '%']);
const cuts = new Set(['slice', 'subarray', 'substring', 'at', 'splice', 'with']);
const commutative = new Set(['Math.min', 'Math.max', 'Math.hypot', 'Math.imul', 'Object.is', 'BigInt.asUintN']);
/** What only documents the schema. */
const documenting = new Set(['registerEnumType', 'createUnionType']);
const loggers = /^#?(log|logger)$/;
const transparent = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);
const operands = new Set([
  'Identifier',
  'MemberExpression',
  'CallExpression',
  'ChainExpression',
  'ParenthesizedExpression',
]);
/** Longer spans are whole blocks of code, and are not found again after any edit of them. */
const MAX_SPAN_LINES = 8;
/** In arithmetic, one more than a greater number is within what a test tolerates. */
const MAX_ARITHMETIC_LITERAL = 256;

/** All faults that the rules allow in a file, in source order. */
export function candidatesIn(file: string, text: string): Candidate[] {
  const found = new Map<string, Candidate>();

  function add(kind: FaultKind, { start, end }: { start: number; end: number }, replacement: string): void {
    const original = text.slice(start, end);
    if (original === replacement || original.split('\n').length > MAX_SPAN_LINES) return;
    found.set(`${kind} ${start} ${end} ${replacement}`, { file, kind, start, end, replacement });
  }

  function textOf({ start, end }: SyntaxNode): string {
    return text.slice(start, end);
  }

  function visit(node: SyntaxNode, around: Surroundings): void {
    if (isSkipped(node)) return;
    if (!around.inLoopTest) negate(node);
    shift(node);
    dropAwait(node, around.parent);
    dropStatement(node);
    swap(node);
    for (const [member, child] of childrenOf(node))
      visit(child, {
        parent: node,
        inLoopTest: around.inLoopTest ? !isFunction(child) : isLoop(node) && member === 'test',
      });
  }

  function negate(node: SyntaxNode): void {
    if (node.type === 'BinaryExpression') negateOperand(node);
    if (node.type === 'IfStatement' && !isLogging(node.consequent)) negateOperand(toNode(node.test));
    if (node.type === 'ConditionalExpression') negateOperand(toNode(node.test));
    if (node.type === 'LogicalExpression' && node.operator !== '??') {
      negateOperand(toNode(node.left));
      const right = toNode(node.right);
      if (right?.type === 'UnaryExpression') negateOperand(right);
    }
  }

  function negateOperand(node: SyntaxNode | null): void {
    if (node === null || node.type === 'LogicalExpression') return;
    const negation = node.type === 'BinaryExpression' ? negations[String(node.operator)] : undefined;
    if (negation !== undefined) add('negated-condition', node, withOperator(node, negation));
    else if (node.type === 'BinaryExpression' && String(node.operator).startsWith('in'))
      add('negated-condition', node, `!(${textOf(node)})`);
    else if (node.type === 'UnaryExpression' && node.operator === '!')
      add('negated-condition', node, textOf(toNode(node.argument) ?? node));
    else if (operands.has(node.type)) add('negated-condition', node, `!${textOf(node)}`);
    else if (node.type === 'AwaitExpression') add('negated-condition', node, `!(${textOf(node)})`);
  }

  function withOperator(node: SyntaxNode, operator: string): string {
    const left = toNode(node.left);
    const right = toNode(node.right);
    if (left === null || right === null) return textOf(node);
    const between = text.slice(left.end, right.start).replace(String(node.operator), operator);
    return textOf(left) + between + textOf(right);
  }

  function shift(node: SyntaxNode): void {
    if (node.type === 'BinaryExpression') {
      const operator = String(node.operator);
      const shifted = shifts[operator];
      if (shifted !== undefined) add('shifted-bound', node, withOperator(node, shifted));
      const left = toNode(node.left);
      const right = toNode(node.right);
      // What consists of literals is a unit or a size: nothing depends on its last digit.
      if (isConstant(left) && isConstant(right)) return;
      const greatest = arithmetic.has(operator) ? MAX_ARITHMETIC_LITERAL : Infinity;
      if (operator in negations || arithmetic.has(operator))
        for (const operand of [left, right]) shiftLiteral(operand, greatest);
    }
    if (node.type === 'CallExpression' && cuts.has(calledName(node)))
      for (const argument of nodesOf(node.arguments)) shiftLiteral(argument, Infinity);
  }

  function shiftLiteral(node: SyntaxNode | null, greatest: number): void {
    if (node?.type === 'UnaryExpression' && node.operator === '-') shiftLiteral(toNode(node.argument), greatest);
    if (node?.type !== 'Literal') return;
    const [, digits, suffix] = /^([\d_]+)(n?)$/.exec(textOf(node)) ?? [];
    const value = Number(digits?.replaceAll('_', ''));
    if (digits === undefined || value > greatest) return;
    add('shifted-bound', node, `${value + 1}${suffix}`);
    if (value > 0) add('shifted-bound', node, `${value - 1}${suffix}`);
  }

  function dropAwait(node: SyntaxNode, parent: SyntaxNode | null): void {
    const argument = toNode(node.argument);
    // Whoever awaits the function waits for what it returns.
    const isReturned = parent?.type === 'ReturnStatement' || parent?.type === 'ArrowFunctionExpression';
    if (node.type === 'AwaitExpression' && argument !== null && !isReturned)
      add('dropped-await', { start: node.start, end: argument.start }, '');
  }

  function dropStatement(node: SyntaxNode): void {
    if (node.type === 'ExpressionStatement' && node.directive === null) add('dropped-statement', node, ';');
  }

  function swap(node: SyntaxNode): void {
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return;
    const callee = toNode(node.callee);
    if (callee !== null && commutative.has(textOf(callee))) return;
    const given = nodesOf(node.arguments);
    for (const [index, second] of given.entries()) {
      const first = given[index - 1];
      if (first === undefined || [first, second].some((each) => each.type === 'SpreadElement' || isFunction(each)))
        continue;
      if (textOf(first) === textOf(second)) continue;
      const swapped = textOf(second) + text.slice(first.end, second.start) + textOf(first);
      add('swapped-arguments', { start: first.start, end: second.end }, swapped);
    }
  }

  visit(parse(file, text), { parent: null, inLoopTest: false });
  return [...found.values()].sort((one, other) => one.start - other.start);
}

/** Whether the text has no syntax error, with which the compiler would report nothing else. */
export function isParsable(file: string, text: string): boolean {
  return parseSync(file, text).errors.length === 0;
}

function parse(file: string, text: string): SyntaxNode {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]?.message}`);
  const node = toNode(program);
  if (node === null) throw new Error(`${file} has no syntax tree.`);
  return node;
}

function isSkipped(node: SyntaxNode): boolean {
  if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return true;
  if (node.type === 'Decorator') return true;
  if (node.type.startsWith('TS') && !transparent.has(node.type)) return true;
  // Appearance: no test tells one class name from another.
  if (node.type === 'JSXAttribute' && /^(className|style)$/.test(String(toNode(node.name)?.name))) return true;
  if (node.type === 'ExpressionStatement') return isLogging(node) || documenting.has(calledName(node.expression));
  return isLogCall(node);
}

/** Whether a statement does nothing but log. */
function isLogging(value: unknown): boolean {
  const node = toNode(value);
  if (node?.type === 'BlockStatement') {
    const statements = nodesOf(node.body);
    return statements.length > 0 && statements.every(isLogging);
  }
  return node?.type === 'ExpressionStatement' && isLogCall(toNode(node.expression));
}

function isLogCall(node: SyntaxNode | null): boolean {
  const inner = node?.type === 'ChainExpression' ? toNode(node.expression) : node;
  const callee = inner?.type === 'CallExpression' ? toNode(inner.callee) : null;
  const target = callee?.type === 'MemberExpression' ? toNode(callee.object) : null;
  const named = target?.type === 'MemberExpression' ? toNode(target.property) : target;
  return loggers.test(String(named?.name ?? ''));
}

/** The name by which a call calls: of the function, or of the method. */
function calledName(value: unknown): string {
  const callee = toNode(toNode(value)?.callee);
  const named = callee?.type === 'MemberExpression' ? toNode(callee.property) : callee;
  return String(named?.name ?? '');
}

function isConstant(node: SyntaxNode | null): boolean {
  if (node === null) return false;
  if (node.type === 'BinaryExpression') return isConstant(toNode(node.left)) && isConstant(toNode(node.right));
  return node.type === 'Literal' || (node.type === 'Identifier' && /^[A-Z][A-Z0-9_]+$/.test(String(node.name)));
}

function isFunction(node: SyntaxNode): boolean {
  return node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression';
}

function isLoop(node: SyntaxNode): boolean {
  return node.type === 'WhileStatement' || node.type === 'DoWhileStatement' || node.type === 'ForStatement';
}

function* childrenOf(node: SyntaxNode): Generator<readonly [string, SyntaxNode]> {
  for (const [member, value] of Object.entries(node)) {
    // A default that callers override is seldom reached.
    if (node.type === 'AssignmentPattern' && member === 'right') continue;
    for (const child of Array.isArray(value) ? nodesOf(value) : nodesOf([value])) yield [member, child];
  }
}

function nodesOf(values: unknown): SyntaxNode[] {
  return Array.isArray(values) ? values.map(toNode).filter((node) => node !== null) : [];
}

function toNode(value: unknown): SyntaxNode | null {
  if (typeof value !== 'object' || value === null || !('type' in value) || !('start' in value)) return null;
  return value as SyntaxNode;
}
