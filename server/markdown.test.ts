import { describe, expect, test } from 'bun:test';
import { faultsOf, XSS } from '#tests/support/xss.ts';
import { renderArticle, renderMarkdown, renderMessage, toPlainText } from './markdown.ts';

const html = (source: string) => renderMarkdown(source).html;

describe('Markdown of the host', () => {
  test('headings become sections, and the rest is plain HTML', () => {
    const { html: text, sections } = renderMarkdown(
      '# Data & *you*\n\nWe keep **little**.\n\n## Cookies\n\n- one\n- `two`\n\n### Small\n\n3. c\n\n| a |\n|---|\n| 1 |\n\n> so\n\n---\n',
    );
    expect(sections).toEqual([
      { id: 'section-1', title: 'Data & you' },
      { id: 'section-2', title: 'Cookies' },
    ]);
    expect(text).toContain('<h2 id="section-1">Data &amp; <em>you</em></h2>');
    expect(text).toContain('<p>We keep <strong>little</strong>.</p>');
    expect(text).toContain('<ul><li>one</li><li><code>two</code></li></ul>');
    expect(text).toContain('<h3>Small</h3>');
    expect(text).toContain('<ol start="3"><li>c</li></ol>');
    expect(text).toContain('<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>');
    expect(text).toContain('<blockquote><p>so</p></blockquote><hr>');
  });

  test('a message has no headings, so that many of them can stand in one page', () => {
    expect(renderMessage('# One\n\n## Two *so*\n\ntext')).toBe(
      '<p><strong>One</strong></p><p><strong>Two <em>so</em></strong></p><p>text</p>',
    );
    expect(renderMessage('<h1 id="x">a</h1> [x](javascript:alert(1))')).not.toMatch(/<h1|<a/);
  });

  test.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    'a <b onmouseover=alert(1)>b</b>',
    '<style>*{display:none}</style>',
    '<iframe src="https://x.example">',
    '<!-- x --><svg onload=alert(1)>',
    '```"><script>\nx</script>\n```',
    '`<script>`',
    '# <script>x',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    '- <details open ontoggle=alert(1)>',
    '|<script>|\n|---|\n|<img src=x onerror=y>|',
    '<div\nonclick=alert(1)\n>',
  ])('T41 HTML in it stays text: %s', (source) => {
    const tags = [...html(source).matchAll(/<[^>]*>/g)].map(([tag]) => tag);
    for (const tag of tags)
      expect(tag).toMatch(/^<\/?(?:p|pre|code|ul|li|table|thead|tbody|tr|th|td|blockquote|h2(?: id="section-1")?)>$/);
  });

  test.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](data:text/html,<script>alert(1)</script>)',
    '[x](vbscript:x)',
    '[x](//evil.example)',
    '[x](/\\evil.example)',
    '[x](&#106;avascript:alert(1))',
    '[x](java&#10;script:alert(1))',
    '<javascript:alert(1)>',
    '[x](\u0001javascript:alert(1))',
    '[x][r]\n\n[r]: javascript:alert(1)',
  ])('T41 a link elsewhere than http, https and mail is only its words: %s', (source) =>
    expect(html(source)).not.toContain('<a'),
  );

  test('T41 a link is what it says, and cannot leave its quotes', () => {
    expect(html('[us](https://example.org/a?b=1&c="2")')).toContain(
      '<a href="https://example.org/a?b=1&amp;c=&quot;2&quot;" rel="noopener noreferrer">us</a>',
    );
    expect(html('[mail](mailto:a@example.org)')).toContain('href="mailto:a@example.org"');
    expect(html('[x](https://example.org "t\\" onclick=alert(1)")')).not.toContain('onclick');
    expect(html('![picture](https://example.org/x.png)')).toBe('<p>picture</p>');
  });

  test('T52 what is nested without end is not followed', () => {
    const deep = html(`${'>'.repeat(100_000)} deep`);
    expect(deep).toContain('deep');
    expect(deep.split('<blockquote>').length).toBe(21);
  });

  test('empty, long and broken texts come through', () => {
    expect(html('')).toBe('');
    expect(html('a\r\nb')).toBe('<p>a\nb</p>');
    expect(html('-'.repeat(80))).toBe('<hr>');
    expect(html('['.repeat(5000))).not.toContain('<a');
  });
});

describe('Markdown as plain text', () => {
  test.each([
    ['Look at `server-port` in *x* and **y**,\nsecond line', 'Look at server-port in x and y,\nsecond line'],
    ['# Title\n\n> quoted\n> more\n\n---', 'Title\n\n> quoted\n> more\n\n* * *'],
    ['[docs](https://a.example/b) and https://a.example', 'docs (https://a.example/b) and https://a.example'],
    ['[bad](javascript:alert(1)) ![picture](https://a.example/p.png)', 'bad picture'],
    ['3. one\n4. two\n   - inner\n\n- x', '3. one\n4. two\n  - inner\n\n- x'],
    ['```\ncode **x**\n```', 'code **x**'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', 'a | b\n1 | 2'],
    ['<b>html</b> & more', '<b>html</b> & more'],
  ])('the text %j is %j', (source, expected) => {
    expect(toPlainText(source)).toBe(expected);
  });

  test.each(['> ', '- '])('T52 quotes and lists inside each other (%j) are followed twenty deep', (mark) => {
    expect(toPlainText(`${mark.repeat(10_000)}deep`)).toBe(`${mark.repeat(20)}deep`);
  });

  test.each(['*', '[', '`', '<', '|', '![', '# '])(
    'T52 ten thousand times %j come to no more than they are',
    (mark) => {
      const source = mark.repeat(10_000);
      expect(toPlainText(source).length).toBeLessThanOrEqual(source.length);
      expect(html(source).length).toBeLessThanOrEqual(10 * source.length);
    },
  );
});

/** The elements of a text, as a parser of HTML finds them. */
function elementsOf(text: string) {
  const found: { tag: string; attributes: [string, string][] }[] = [];
  new HTMLRewriter()
    .on('*', {
      element: ({ tagName, attributes }) =>
        void found.push({ tag: tagName, attributes: [...attributes] as [string, string][] }),
    })
    .transform(text);
  return found;
}

test('T41 what is looked for would be found', () => {
  const bad = '<p onclick="x">a</p><script>x</script><a href="javascript:x">b</a><img src="data:x">';
  expect(faultsOf(elementsOf(bad))).toEqual(['p onclick=x', '<script>', 'a href=javascript:x', 'img src=data:x']);
});

test.each([
  ['a text of the host', (source: string) => renderMarkdown(source).html],
  ['an announcement', renderArticle],
  ['a message', renderMessage],
] as const)('T41 %s has none of the known ways into a page, each by itself and all together', (_what, render) => {
  for (const source of [...XSS, XSS.join('\n\n'), XSS.join(' ')])
    expect([source.slice(0, 80), faultsOf(elementsOf(render(source)))]).toEqual([source.slice(0, 80), []]);
});
