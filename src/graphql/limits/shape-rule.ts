import {
  Kind,
  type ASTVisitor,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { isPublic } from '../access.ts';
import type { OperationLimits } from './settings.ts';
import { tooLarge } from './too-large.ts';

/** What a selection comes to, with the fragments that it spreads. */
interface Shape {
  readonly depth: number;
  readonly aliases: number;
}

const nothing: Shape = { depth: 0, aliases: 0 };

/**
 * Refuses documents by their shape: depth, aliases, directives, fields at the root, and a mutation that is open to all
 * called twice in one operation, by which passwords could be tried in bulk. Its cost grows with the document alone, however
 * often fragments spread each other.
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
          context.reportError(tooLarge(`${counted(aliases)} aliases`, limits.aliases, node));
        lookAtRoot(context, node, limits);
      },
    };
  };
}

class FragmentShapes {
  readonly #context: ValidationContext;
  readonly #known = new Map<string, Shape>();

  constructor(context: ValidationContext) {
    this.#context = context;
  }

  of({ selections }: SelectionSetNode): Shape {
    let [depth, aliases] = [0, 0];
    for (const selection of selections) {
      let inner = nothing;
      if (selection.kind === Kind.FRAGMENT_SPREAD) inner = this.#ofFragment(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) inner = this.of(selection.selectionSet);
      else {
        const within = selection.selectionSet ? this.of(selection.selectionSet) : nothing;
        const isMeta = selection.name.value.startsWith('__');
        // Introspection asks for types of types, deeper than any other: a rule of its own bounds that.
        inner = { depth: isMeta ? 0 : within.depth + 1, aliases: within.aliases };
      }
      if (selection.kind === Kind.FIELD && selection.alias) aliases += 1;
      depth = Math.max(depth, inner.depth);
      aliases += inner.aliases;
    }
    return { depth, aliases };
  }

  #ofFragment(name: string): Shape {
    const known = this.#known.get(name);
    if (known) return known;
    // A circle ends here; another rule refuses it.
    this.#known.set(name, nothing);
    const fragment = this.#context.getFragment(name);
    const shape = fragment ? this.of(fragment.selectionSet) : nothing;
    this.#known.set(name, shape);
    return shape;
  }
}

/** By the names of fields, the names that they have in the answer. */
type RootFields = Map<string, Set<string>>;

function lookAtRoot(context: ValidationContext, operation: OperationDefinitionNode, limits: OperationLimits): void {
  const fields: RootFields = new Map();
  collectRoot(context, operation.selectionSet, fields, new Set());
  const total = [...fields.values()].reduce((sum, { size }) => sum + size, 0);
  if (total > limits.rootFields)
    context.reportError(tooLarge(`${total} fields at its root`, limits.rootFields, operation));
  if (operation.operation !== 'mutation') return;
  const known = context.getSchema().getMutationType()?.getFields() ?? {};
  for (const [name, { size }] of fields) {
    const field = known[name];
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
      const answers = into.get(name) ?? new Set<string>();
      into.set(name, answers.add(selection.alias?.value ?? name));
    } else if (selection.kind === Kind.INLINE_FRAGMENT) collectRoot(context, selection.selectionSet, into, seen);
    else {
      const fragment = context.getFragment(selection.name.value);
      if (!fragment || seen.has(fragment)) continue;
      seen.add(fragment);
      collectRoot(context, fragment.selectionSet, into, seen);
    }
  }
}

/** Fragments multiply: beyond this, how many there are says nothing more. */
function counted(number: number): string {
  return number > 1_000_000 ? 'more than 1000000' : String(number);
}
