import { isNode, literalOf, nameOf, type SyntaxNode } from '#tests/support/sources.ts';

/** A small fault in the text of a file: what lies from `start` to below `end` becomes `text`. */
export interface Fault {
  /** What was done, as a short noun: `boundary`, `guard removed`. */
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

type Nodes = readonly SyntaxNode[];
/** Looks at a node with those above it, the nearest first. */
type Operator = (node: SyntaxNode, source: string, above: Nodes) => readonly Fault[];

const startOf = (node: unknown): number => (isNode(node) ? Number(node.start) : 0);
const endOf = (node: unknown): number => (isNode(node) ? Number(node.end) : 0);
const textOf = (node: unknown, source: string): string => source.slice(startOf(node), endOf(node));
const nodesIn = (value: unknown): Nodes => (Array.isArray(value) ? value.filter((each) => isNode(each)) : []);
const replaced = (kind: string, node: unknown, text: string): Fault => ({
  kind,
  start: startOf(node),
  end: endOf(node),
  text,
});

const OPERATORS: Readonly<Record<string, readonly [kind: string, other: string]>> = {
  '<': ['boundary', '<='],
  '<=': ['boundary', '<'],
  '>': ['boundary', '>='],
  '>=': ['boundary', '>'],
  '===': ['condition', '!=='],
  '!==': ['condition', '==='],
  '+': ['sum', '-'],
  '-': ['sum', '+'],
  '*': ['product', '/'],
  '/': ['product', '*'],
  '&&': ['logic', '||'],
  '||': ['logic', '&&'],
};

/** Whether a sum is one of texts: there the other operator means nothing. */
const isText = (node: unknown): boolean =>
  isNode(node, 'StringLiteral', 'TemplateLiteral') ||
  (isNode(node, 'BinaryExpression') && (isText(node.left) || isText(node.right)));

/** `a < b` becomes `a <= b`, `a && b` becomes `a || b`. */
const operators: Operator = (node, source) => {
  if (!isNode(node, 'BinaryExpression', 'LogicalExpression')) return [];
  const found = OPERATORS[String(node.operator)];
  if (!found || (node.operator === '+' && isText(node))) return [];
  const start = source.indexOf(String(node.operator), endOf(node.left));
  return [{ kind: found[0], start, end: start + String(node.operator).length, text: found[1] }];
};

const IN_QUERIES: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '=': '!=',
  '!=': '=',
};

/** `.where('a', '<', b)` becomes `.where('a', '<=', b)`; a condition of a query or a filter of a list goes. */
const queries: Operator = (node, source) => {
  if (!isNode(node, 'CallExpression') || !isNode(node.callee, 'MemberExpression')) return [];
  if (!['where', 'filter', 'having', 'on', 'onRef', 'whereRef'].includes(nameOf(node.callee.property))) return [];
  const signs = nodesIn(node.arguments).flatMap((argument) => {
    const other = IN_QUERIES[literalOf(argument) ?? ''];
    return other ? [replaced('boundary', argument, `'${other}'`)] : [];
  });
  return [...signs, replaced('condition removed', node, textOf(node.callee.object, source))];
};

/** The condition of a branch is turned round; `!a` becomes `a`. What compares by `===` is turned by its operator. */
const conditions: Operator = (node, source) => {
  if (isNode(node, 'UnaryExpression') && node.operator === '!')
    return [replaced('condition', node, `(${textOf(node.argument, source)})`)];
  if (!isNode(node, 'IfStatement', 'ConditionalExpression')) return [];
  const { test } = node;
  if (isNode(test, 'UnaryExpression') && test.operator === '!') return [];
  if (isNode(test, 'BinaryExpression') && ['===', '!=='].includes(String(test.operator))) return [];
  return [replaced('condition', test, `!(${textOf(test, source)})`)];
};

const endsIn = (node: unknown, ...types: readonly string[]): boolean =>
  isNode(node, ...types) || (isNode(node, 'BlockStatement') && isNode(nodesIn(node.body).at(-1), ...types));
/** `if (…) throw …` and `if (…) return …`. */
const isGuard = (node: unknown): boolean =>
  isNode(node, 'IfStatement') && !node.alternate && endsIn(node.consequent, 'ThrowStatement', 'ReturnStatement');
const callOf = (node: unknown): SyntaxNode | null => {
  const expression = isNode(node, 'AwaitExpression') ? node.argument : node;
  return isNode(expression, 'CallExpression') ? expression : null;
};
/** A statement that does something: a call, with or without `await`. What writes a line of the log does not count. */
const isEffect = (node: unknown, source: string): boolean => {
  if (!isNode(node, 'ExpressionStatement')) return false;
  const call = callOf(node.expression);
  return call !== null && !/(^|\.)(log|console)\.\w+$/.test(textOf(call.callee, source));
};

/** A guard, an effect or an assignment goes. Whether an effect is waited for is asked by lint (`bun run lint`). */
const statements: Operator = (node, source) => {
  if (isGuard(node)) return [replaced('guard removed', node, ';')];
  const assigns = isNode(node, 'ExpressionStatement') && isNode(node.expression, 'AssignmentExpression');
  return isEffect(node, source) || assigns ? [replaced('statement removed', node, ';')] : [];
};

/** Topics are published after the end of a transaction, in whatever order they were touched. */
const isTouch = (node: unknown, source: string): boolean =>
  isNode(node, 'ExpressionStatement') && /(^|\.)touch\w*$/.test(textOf(callOf(node.expression)?.callee, source));

/** Two guards or effects beside each other change places. */
const order: Operator = (node, source) => {
  if (!isNode(node, 'BlockStatement', 'Program')) return [];
  const lines = nodesIn(node.body);
  return lines.flatMap((first, at) => {
    const second = lines[at + 1];
    const moves = (each: unknown) => isGuard(each) || (isEffect(each, source) && !isTouch(each, source));
    if (!moves(first) || !moves(second)) return [];
    const between = source.slice(endOf(first), startOf(second));
    const text = `${textOf(second, source)}${between}${textOf(first, source)}`;
    return [{ kind: 'order', start: startOf(first), end: endOf(second), text }];
  });
};

const PLAIN = ['Identifier', 'MemberExpression'];
/** What every function takes first: nothing else is of its type. */
const CONTEXT = ['deps', 'tx', 'ctx'];
const alike = (one: SyntaxNode, other: SyntaxNode): boolean =>
  ![one, other].some((each) => CONTEXT.includes(nameOf(each)) || (literalOf(each) ?? '') in IN_QUERIES) &&
  ((PLAIN.includes(one.type) && PLAIN.includes(other.type)) ||
    (one.type === other.type && ['StringLiteral', 'NumericLiteral', 'BooleanLiteral'].includes(one.type)));

/** Two arguments of a kind beside each other change places. */
const argumentsSwapped: Operator = (node, source) => {
  if (!isNode(node, 'CallExpression', 'NewExpression')) return [];
  // The least of two is the same in either order.
  if (/^Math\.(min|max)$/.test(textOf(node.callee, source))) return [];
  const given = nodesIn(node.arguments);
  return given.flatMap((first, at) => {
    const second = given[at + 1];
    if (!second || !alike(first, second)) return [];
    const between = source.slice(endOf(first), startOf(second));
    const text = `${textOf(second, source)}${between}${textOf(first, source)}`;
    return [{ kind: 'arguments swapped', start: startOf(first), end: endOf(second), text }];
  });
};

const OTHER_NAMES: Readonly<Record<string, string>> = { min: 'max', max: 'min', some: 'every', every: 'some' };

/** A number is one more, true is false, an element of a list is missing, the least becomes the most. */
const values: Operator = (node, source) => {
  if (node.type === 'NumericLiteral') return [replaced('constant', node, String(Number(node.value) + 1))];
  if (node.type === 'BooleanLiteral') return [replaced('constant', node, String(node.value !== true))];
  if (node.type === 'ArrayExpression') {
    const elements = nodesIn(node.elements);
    if (elements.length < 2) return [];
    return elements.map((_, at) => {
      const kept = elements.filter((__, other) => other !== at).map((each) => textOf(each, source));
      return replaced('element removed', node, `[${kept.join(', ')}]`);
    });
  }
  if (node.type === 'CallExpression' && isNode(node.callee, 'MemberExpression')) {
    const other = OTHER_NAMES[nameOf(node.callee.property)];
    if (other) return [replaced('other function', node.callee.property, other)];
  }
  return [];
};

/** What was sent or is answered is taken as it is, past its schema. */
const parses: Operator = (node, source) => {
  if (!isNode(node, 'CallExpression') || !isNode(node.callee, 'MemberExpression')) return [];
  const [given] = nodesIn(node.arguments);
  const name = nameOf(node.callee.property);
  if (!given || nameOf(node.callee.object) === 'JSON') return [];
  if (name === 'parse') return [replaced('parse dropped', node, `(${textOf(given, source)})`)];
  if (name === 'safeParse')
    return [replaced('parse dropped', node, `({ success: true as const, data: ${textOf(given, source)} } as any)`)];
  return [];
};

/** Every flag of an endpoint that stands between a caller and its handler, or changes what leaves it. */
const FLAGS = ['verified', 'waiting', 'settingUp', 'flag', 'limit', 'idempotent', 'secret', 'hook', 'fresh'];
const isEndpoint = (node: unknown): boolean =>
  isNode(node, 'ObjectExpression') && nodesIn(node.properties).some((each) => nameOf(each.key) === 'access');

/** Whoever is signed in may call, or whoever comes; a permission of staff becomes the least one; a flag goes. */
const access: Operator = (node, source, above) => {
  if (isNode(node, 'StringLiteral') && literalOf(node)?.startsWith('admin.') && isNode(above[0], 'CallExpression'))
    return [replaced('access', node, `'admin.dashboard.view'`)];
  if (!isNode(node, 'ObjectProperty') || !isEndpoint(above[0])) return [];
  if (nameOf(node.key) === 'access') {
    const now = literalOf(node.value);
    if (now === 'open') return [];
    return [replaced('access', node.value, now === 'signed-in' ? `'open'` : `'signed-in'`)];
  }
  if (!FLAGS.includes(nameOf(node.key))) return [];
  const comma = source[endOf(node)] === ',' ? 1 : 0;
  return [{ kind: 'flag removed', start: startOf(node), end: endOf(node) + comma, text: '' }];
};

/** All kinds of faults that are made, in the order in which they are tried at a node. */
export const FAULTS: readonly Operator[] = [
  operators,
  queries,
  conditions,
  statements,
  order,
  argumentsSwapped,
  values,
  parses,
  access,
];
