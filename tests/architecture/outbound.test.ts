import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Glob } from 'bun';
import { isNode, lineOf, parseSource, walk, type SyntaxNode } from '../support/sources.ts';

const ROOT = join(import.meta.dir, '../..');
/** Every file of the server and of what it shares, tests left out, as text: only those that speak of it are parsed. */
const FILES = ['server/**/*.ts', 'shared/**/*.ts']
  .flatMap((pattern) => [...new Glob(pattern).scanSync(ROOT)])
  .filter((path) => !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

/** Files that may call the runtime's `fetch`, and why. */
const MAY: Readonly<Record<string, string>> = {
  'server/outbound.ts': 'the one way to services elsewhere',
  'server/http/transport.ts': 'the hosting API of a frontend: an address of the environment, never one of the database',
  'server/workers/web-link.ts': 'the hosting API of this machine, over its Unix socket',
  'server/node/call-socket.ts': 'the node of this machine, over a Unix socket',
  'server/node/engine/calls.ts': 'Docker or Podman of this machine, over its Unix socket',
  'server/node/socket.ts': 'the node of this machine, over a Unix socket',
  'server/cli/smoke.ts': 'a command that checks the installation it is given',
};

/** Whether a pattern (a parameter, the left side of a declaration) names `fetch`. */
function binds(pattern: unknown): boolean {
  if (!isNode(pattern)) return false;
  if (pattern.type === 'Identifier') return pattern.name === 'fetch';
  if (pattern.type === 'AssignmentPattern') return binds(pattern.left);
  if (pattern.type === 'ObjectPattern')
    return (
      Array.isArray(pattern.properties) && pattern.properties.some((each: unknown) => isNode(each) && binds(each.value))
    );
  return false;
}
/**
 * Whether a place stands inside something that has a `fetch` of its own: a function's parameter, or a constant made in
 * a block around it.
 */
function isGiven(above: readonly SyntaxNode[]): boolean {
  return above.some(({ params, body }) => {
    const made = Array.isArray(body)
      ? body.flatMap((each: unknown) =>
          isNode(each, 'VariableDeclaration') && Array.isArray(each.declarations) ? each.declarations : [],
        )
      : [];
    return (
      (Array.isArray(params) && params.some(binds)) || made.some((each: unknown) => isNode(each) && binds(each.id))
    );
  });
}

/** Lines where the runtime's own `fetch` is taken. */
function callsOf(tree: SyntaxNode): number[] {
  const lines: number[] = [];
  walk(tree, (node, above) => {
    const isType = node.type.startsWith('TS') && !/^TS(As|Satisfies|NonNull)/.test(node.type);
    const [parent] = above;
    if (isType) return false;
    if (
      node.type === 'MemberExpression' &&
      isNode(node.object, 'Identifier') &&
      ['globalThis', 'Bun', 'global', 'self'].includes(String(node.object.name)) &&
      isNode(node.property) &&
      [node.property.name, node.property.value].includes('fetch')
    )
      lines.push(lineOf(node));
    if (node.type !== 'Identifier' || node.name !== 'fetch' || !parent) return true;
    const isName =
      (parent.type === 'MemberExpression' && parent.property === node && !parent.computed) ||
      (/^(Object)?(Property|Method)$/.test(parent.type) && parent.key === node && !parent.shorthand);
    if (!isName && !isGiven(above) && !binds(parent)) lines.push(lineOf(node));
    return true;
  });
  return lines;
}

test('S11 nobody on the server calls fetch outside the one way out', () => {
  expect(FILES.length).toBeGreaterThan(300);
  const found = FILES.filter(({ text }) => /\bfetch\b/.test(text)).map(({ path, text }) => ({
    path,
    lines: callsOf(parseSource(text, false)),
  }));
  expect(
    found
      .filter(({ lines }) => lines.length > 0)
      .map((each) => each.path)
      .sort(),
  ).toEqual(Object.keys(MAY).sort());
});

test('S11 nobody on the server opens a connection by other means', () => {
  const means = /from ['"](?:node:)?(?:https?|http2|net|tls|dgram|undici|axios|got)['"]/;
  const may = [
    // The certificate of the public address, which is one of the environment: no request is sent there.
    'server/health/certificate.ts',
    // The protocols of games, to a server of this host: it is sent no secret, and of its answer two numbers and names are kept.
    'server/panel/player-query.ts',
    // ClamAV's own protocol, to an address that only an owner sets, mostly on this machine; it is sent no secret.
    'server/uploads/virus-scanner.ts',
  ];
  const files = FILES.filter(({ path }) => !may.includes(path));
  const wrong = files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line) =>
        means.test(line) && !/^import \{ (?:isIP|rootCertificates) \} /.test(line) ? [`${path}: ${line}`] : [],
      ),
  );
  expect(wrong).toEqual([]);
});

test('S11 the check sees a call of the runtime in each of its forms, and none in what was handed in', () => {
  const lines = (text: string) => callsOf(parseSource(text, false)).length;
  for (const text of [
    'await fetch(url)',
    'globalThis.fetch(url)',
    'Bun.fetch(url)',
    'const call = fetch;',
    'make({ fetch })',
    'make({ call: fetch })',
    "globalThis['fetch'](url)",
    'const f = (url) => fetch(url)',
  ])
    expect([text, lines(text) > 0]).toEqual([text, true]);
  for (const text of [
    'function a({ fetch }) { return fetch(1) }',
    'const a = (fetch) => { go(() => fetch(1)) }',
    'api.fetch(x)',
    'const a = { fetch() {} }',
    'make({ fetch: outbound })',
    'type A = typeof globalThis.fetch',
  ])
    expect([text, lines(text)]).toEqual([text, 0]);
});
