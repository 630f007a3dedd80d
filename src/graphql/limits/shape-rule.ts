import {
  Kind,
  type ASTVisitor,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { isPublic } from '../operation/access.ts';
import type { OperationLimits } from './settings.ts';
import { tooLarge } from './too-large.ts';

/** Depth and aliases of a selection, including its fragments. */
interface Shape {
  readonly depth: number;
  readonly aliases: number;
}

const EMPTY_SHAPE: Shape = { depth: 0, aliases: 0 };

/**
 * Rejects documents by their shape: depth, aliases, directives, root fields, and a public mutation that is called twice in one
 * operation, which would allow batched password guessing. Runs in time linear in the document, however often fragments are spread.
 */
export function shapeRule(limits: OperationLimits): ValidationRule {
  return (context): ASTVisitor => {
    const shapes = new FragmentShapes(context);
    let directives = 0;
    return {
      Directive(node) {
        directives += 1;
        if (directives === limits.directives + 1)
          context.reportError(tooLarge('more directives', limits.directives, node));
        return false;
      },
      OperationDefinition(node) {
        const { depth, aliases } = shapes.of(node.selectionSet);
        if (depth > limits.depth) context.reportError(tooLarge(`a depth of ${depth}`, limits.depth, node));
        if (aliases > limits.aliases)
          context.reportError(tooLarge(`${formatCount(aliases)} aliases`, limits.aliases, node));
        checkRoot(context, node, limits);
      },
    };
  };
}

class FragmentShapes {
  readonly #context: ValidationContext;
  readonly #cache = new Map<string, Shape>();

  constructor(context: ValidationContext) {
    this.#context = context;
  }

  of({ selections }: SelectionSetNode): Shape {
    let [depth, aliases] = [0, 0];
    for (const selection of selections) {
      let inner = EMPTY_SHAPE;
      if (selection.kind === Kind.FRAGMENT_SPREAD) inner = this.#ofFragment(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) inner = this.of(selection.selectionSet);
      else {
        const within = selection.selectionSet ? this.of(selection.selectionSet) : EMPTY_SHAPE;
        const isMeta = selection.name.value.startsWith('__');
        // Introspection nests deeper than other queries and is limited by its own rule.
        inner = { depth: isMeta ? 0 : within.depth + 1, aliases: within.aliases };
      }
      if (selection.kind === Kind.FIELD && selection.alias) aliases += 1;
      depth = Math.max(depth, inner.depth);
      aliases += inner.aliases;
    }
    return { depth, aliases };
  }

  #ofFragment(name: string): Shape {
    const cached = this.#cache.get(name);
    if (cached) return cached;
    // Terminates cycles, which another rule rejects.
    this.#cache.set(name, EMPTY_SHAPE);
    const fragment = this.#context.getFragment(name);
    const shape = fragment ? this.of(fragment.selectionSet) : EMPTY_SHAPE;
    this.#cache.set(name, shape);
    return shape;
  }
}

/** Response names by field name. */
type RootFields = Map<string, Set<string>>;

function checkRoot(context: ValidationContext, operation: OperationDefinitionNode, limits: OperationLimits): void {
  const fields: RootFields = new Map();
  collectRoot(context, operation.selectionSet, fields, new Set());
  const total = [...fields.values()].reduce((sum, { size }) => sum + size, 0);
  if (total > limits.rootFields)
    context.reportError(tooLarge(`${total} fields at its root`, limits.rootFields, operation));
  if (operation.operation !== 'mutation') return;
  const mutations = context.getSchema().getMutationType()?.getFields() ?? {};
  for (const [name, { size }] of fields) {
    const field = mutations[name];
    if (field && isPublic(field) && size > 1) context.reportError(tooLarge(`${size} times \`${name}\``, 1, operation));
  }
}

function collectRoot(
  context: ValidationContext,
  { selections }: SelectionSetNode,
  into: RootFields,
  seen: Set<FragmentDefinitionNode>,
): void {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      const name = selection.name.value;
      const responseNames = into.get(name) ?? new Set<string>();
      into.set(name, responseNames.add(selection.alias?.value ?? name));
    } else if (selection.kind === Kind.INLINE_FRAGMENT) collectRoot(context, selection.selectionSet, into, seen);
    else {
      const fragment = context.getFragment(selection.name.value);
      if (!fragment || seen.has(fragment)) continue;
      seen.add(fragment);
      collectRoot(context, fragment.selectionSet, into, seen);
    }
  }
}

/** Fragments multiply aliases: above one million, the exact count is irrelevant. */
function formatCount(number: number): string {
  return number > 1_000_000 ? 'more than 1000000' : String(number);
}
