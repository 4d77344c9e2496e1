import { describe, expect, test } from 'bun:test';
import { LOCALES } from '#shared/i18n/locales.ts';
import { sourceOfKind } from '#shared/earning-sources.ts';
import { pageOfKind, STATEMENT_KINDS } from '#shared/statement.ts';
import {
  isNode,
  literalOf,
  nameOf,
  parseSource,
  readSources,
  templateParts,
  walk,
  type SyntaxNode,
} from '#tests/support/sources.ts';
import { namesIn, textsOf } from '#tests/support/texts.ts';

/** What may stand in the place of a kind: a word, or words with a gap (`reward.${source}`) as a pattern. */
interface Found {
  readonly at: string;
  readonly kind: RegExp;
  readonly text: string;
}
const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Literals and templates that an expression may become. */
function wordsOf(node: unknown): string[] {
  if (isNode(node, 'ConditionalExpression')) return [...wordsOf(node.consequent), ...wordsOf(node.alternate)];
  if (isNode(node, 'TSAsExpression')) return wordsOf(node.expression);
  if (!isNode(node, 'StringLiteral', 'TemplateLiteral')) return [];
  return [templateParts(node)?.join('\u0000') ?? literalOf(node) ?? ''];
}

/**
 * The kinds of all movements of the code: wherever an object has a kind and says what a movement says besides (a
 * reference, or it is handed to the ledger), also where the kind is named first (`const kind = …`).
 */
function kindsIn(path: string, tree: SyntaxNode): Found[] {
  const found: Found[] = [];
  const named = new Map<string, string[]>();
  walk(tree, (node) => {
    if (isNode(node, 'VariableDeclarator') && isNode(node.id, 'Identifier') && nameOf(node.id) === 'kind')
      named.set('kind', wordsOf(node.init));
    return true;
  });
  walk(tree, (node, above) => {
    if (!isNode(node, 'ObjectExpression') || !Array.isArray(node.properties)) return true;
    const properties = node.properties.filter((each): each is SyntaxNode => isNode(each, 'ObjectProperty'));
    const kind = properties.find((each) => nameOf(each.key) === 'kind');
    const call = above.find((each) => isNode(each, 'CallExpression'));
    const callee =
      isNode(call, 'CallExpression') && isNode(call.callee, 'MemberExpression') ? nameOf(call.callee.property) : '';
    const moves =
      properties.some((each) => nameOf(each.key) === 'reference') ||
      ['transfer', 'chargeBack', 'returnCredits', 'payDebt', 'capture', 'releaseReward'].includes(callee);
    if (!kind || !moves) return true;
    const words = isNode(kind.value, 'Identifier') ? (named.get(nameOf(kind.value)) ?? []) : wordsOf(kind.value);
    for (const text of words)
      found.push({
        at: path,
        text: text.replaceAll('\u0000', '*'),
        kind: new RegExp(`^${text.split('\u0000').map(escaped).join('[a-z0-9_]+')}$`),
      });
    return true;
  });
  return found;
}

const kinds = Object.keys(STATEMENT_KINDS);
const found = readSources(['server/modules/**/*.ts'])
  .filter(({ path }) => !path.endsWith('.test.ts'))
  .flatMap(({ path, tree }) => kindsIn(path, tree));

describe('why did my balance change', () => {
  test('the search through the code finds movements, named outright, put together and chosen', () => {
    expect(new Set(found.map(({ text }) => text))).toEqual(
      new Set([
        ...new Set(found.map(({ text }) => text)),
        'reward.*',
        'store.buy',
        'store.refund',
        'server.renew',
        'adjustment',
        'reversal',
        'hold.release',
        'gift',
        'payment.refund',
        'payment.dispute',
      ]),
    );
    const source =
      "ledger.transfer(tx, { kind: on ? 'a.b' : 'a.c', reference: r }); const other = { kind: 'no' }; f({ kind: `x.${y}`, reference: '' });";
    expect(kindsIn('x', parseSource(source, false)).map(({ text }) => text)).toEqual(['a.b', 'a.c', 'x.*']);
  });

  test('every kind that the code posts is known to the statement', () => {
    expect(
      found.filter(({ kind }) => !kinds.some((known) => kind.test(known))).map(({ at, text }) => `${at}: ${text}`),
    ).toEqual([]);
  });

  test('every known kind is posted by the code', () => {
    expect(kinds.filter((known) => !found.some(({ kind }) => kind.test(known)))).toEqual([]);
  });

  test.each(LOCALES.flatMap((locale) => kinds.map((kind) => [locale, kind] as const)))(
    '%s says what %s is and why it happened, both ways',
    (locale, kind) => {
      const [account, statement] = [textsOf(locale, 'account'), textsOf(locale, 'statement')];
      const source = sourceOfKind(kind);
      const own = source === null ? null : textsOf(locale, 'sources');
      expect(own ? own[`${source}.reward`] : account[`kind.${kind}`]).toBeString();
      for (const way of ['whyIn', 'whyOut']) {
        const text = (own ? own[`${source}.why`] : (statement[`${way}.${kind}`] ?? statement[`why.${kind}`])) ?? '';
        expect({ way, long: text.length > 15, names: namesIn(text).filter((name) => name !== 'subject') }).toEqual({
          way,
          long: true,
          names: [],
        });
      }
      const place = pageOfKind(kind);
      if (place)
        expect(
          place.source === null
            ? statement[`open.${place.to.replaceAll('.', '_')}${place.query.replace('?tab=', '_')}`]
            : textsOf(locale, 'sources')[`${place.source}.open`],
        ).toBeString();
    },
  );
});
