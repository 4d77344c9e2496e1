import { describe, expect, test } from 'bun:test';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { createRoutesStub } from 'react-router';
import ui from '#locales/en/ui.json';
import { createI18n } from '#client/lib/i18n-instance.ts';
import { I18nProvider, createTranslator } from '#client/lib/i18n.tsx';
import { readList, listSearch } from '#client/lib/url-state.ts';
import type { ListSpec } from '#client/lib/url-state.ts';
import './icons-app.ts';
import { initials } from './avatar.tsx';
import { Bar, share } from './bar.tsx';
import { interpolate } from './balance-counter.tsx';
import { CreditAmount } from './credit-amount.tsx';
import { DataTable } from './data-table.tsx';
import { Field } from './field.tsx';
import { Form } from './form.tsx';
import { pagesShown, Pager } from './pager.tsx';
import { PasswordInput } from './password-input.tsx';
import { ResourceMeter, meterTone } from './resource-meter.tsx';
import { slabStates } from './slab-stack.tsx';
import { Slider, snapToStep } from './slider.tsx';
import { sparkPoints } from './sparkline.tsx';
import { TextInput } from './text-input.tsx';

const translator = createTranslator(createI18n('en', { en: { ui } }), 'en');

/** The markup of a part as the server writes it. */
function html(node: ReactNode): string {
  const Stub = createRoutesStub([{ path: '*', Component: () => <>{node}</> }]);
  return renderToStaticMarkup(
    <I18nProvider translator={translator} timeZone="UTC">
      <Stub />
    </I18nProvider>,
  );
}

describe('meters', () => {
  test('shares stay between 0 and 1', () => {
    expect(share(5, 10)).toBe(0.5);
    expect(share(15, 10)).toBe(1);
    expect(share(-5, 10)).toBe(0);
    expect(share(5, 0)).toBe(0);
    expect(share(Number.NaN, 10)).toBe(0);
    expect(share(1, Number.NaN)).toBe(0);
  });
  test('meters are quiet below 90 %, warn from there, and alarm above the limit', () => {
    expect(meterTone(89, 100)).toBe('quiet');
    expect(meterTone(90, 100)).toBe('warning');
    expect(meterTone(100, 100)).toBe('warning');
    expect(meterTone(101, 100)).toBe('danger');
    expect(meterTone(0, 0)).toBe('quiet');
    expect(meterTone(1, 0)).toBe('danger');
  });
  test('the added part never leaves the bar', () => {
    const markup = html(<Bar value={0.9} added={0.5} />);
    expect(markup).toContain('width="90"');
    expect(markup).toContain('width="10"');
  });
  test('meters say in words what the colour says', () => {
    expect(html(<ResourceMeter label="Disk" used={37} total={40} />)).toContain('almost full');
    expect(html(<ResourceMeter label="CPU" used={7} total={6} />)).toContain('over the limit');
    expect(html(<ResourceMeter label="Disk" used={1} added={2} total={40} />)).toContain('2 new');
  });
  test('counted things are drawn in pieces, unless there are too many', () => {
    const pieces = (markup: string): number => markup.split('<i').length - 1;
    expect(pieces(html(<ResourceMeter counted label="Slots" used={4} total={5} />))).toBe(5);
    expect(pieces(html(<ResourceMeter counted label="Slots" used={4} total={50} />))).toBe(0);
    expect(pieces(html(<ResourceMeter counted label="Slots" used={6} total={5} />))).toBe(0);
  });
  test('T7 nothing with a moving width writes a style attribute', () => {
    const parts = (
      <>
        <Bar value={0.42} />
        <ResourceMeter label="Memory" used={1} total={4} />
        <Slider name="memory" label="Memory" min={0} max={10} defaultValue={5} />
      </>
    );
    expect(html(parts)).not.toContain('style=');
  });
});

describe('table', () => {
  const spec: ListSpec = {
    sortable: ['code', 'credits'],
    defaultSort: { key: 'credits', dir: 'desc' },
    sizes: [25],
    filters: [],
  };
  interface Row {
    code: string;
    credits: number;
  }
  const table = (search: string): string => {
    const state = readList(search, spec);
    return html(
      <DataTable<Row>
        caption="Codes"
        rows={[{ code: 'A', credits: 5 }]}
        rowKey={(row) => row.code}
        rowName={(row) => row.code}
        sort={state.sort}
        sortHref={(sort) => listSearch(state, spec, { sort }) || '?'}
        columns={[
          { key: 'code', label: 'Code', sort: 'asc', title: true, cell: (row) => row.code },
          { key: 'credits', label: 'Credits', sort: 'desc', cell: (row) => row.credits },
          { key: 'note', label: 'Note', cell: () => 'x' },
        ]}
      />,
    );
  };
  test('headings are links that sort, and the sorted one reverses', () => {
    const markup = table('');
    expect(markup).toContain('href="/?sort=code"');
    expect(markup).toContain('href="/?sort=credits"');
    expect(markup.match(/aria-sort="descending"/g)).toHaveLength(1);
    expect(table('?sort=code')).toContain('href="/?sort=-code"');
  });
  test('a sort keeps the search and leaves the page', () => {
    expect(table('?q=winter&page=3')).toContain('href="/?q=winter&amp;sort=code"');
  });
  test('a column without sort has no link', () => {
    expect(table('').match(/<a /g)).toHaveLength(2);
  });
  test('roles of the table are written out, for the cards on phones', () => {
    for (const role of ['table', 'rowgroup', 'row', 'columnheader', 'rowheader', 'cell']) {
      expect(table('')).toContain(`role="${role}"`);
    }
  });
});

describe('pager', () => {
  test('the pager shows first, last and the neighbours, with gaps', () => {
    expect(pagesShown(1, 1)).toEqual([1]);
    expect(pagesShown(1, 10)).toEqual([1, 2, 0, 10]);
    expect(pagesShown(5, 10)).toEqual([1, 0, 4, 5, 6, 0, 10]);
    expect(pagesShown(3, 10)).toEqual([1, 2, 3, 4, 0, 10]);
    expect(pagesShown(4, 10)).toEqual([1, 2, 3, 4, 5, 0, 10]);
    expect(pagesShown(10, 10)).toEqual([1, 0, 9, 10]);
  });
  test('the pager says which rows are shown, also of none', () => {
    const pager = (page: number, total: number): string =>
      html(<Pager page={page} size={25} total={total} hrefOf={(n) => `?page=${n}`} />);
    expect(pager(2, 42)).toContain('26 – 42 of 42');
    expect(pager(1, 0)).toContain('0 – 0 of 0');
    expect(pager(1, 0)).not.toContain('<nav');
  });
  test('the pager offers how many rows a page has by links, only where there are more than the fewest', () => {
    const pager = (total: number): string =>
      html(
        <Pager
          page={1}
          size={50}
          total={total}
          hrefOf={(n) => `?page=${n}`}
          sizes={[50, 25, 100]}
          hrefOfSize={(size) => `?size=${size}`}
        />,
      );
    expect(pager(25)).not.toContain('Rows per page');
    const links = [...pager(26).matchAll(/<a ([^>]*size=(\d+)[^>]*)>/g)];
    expect(links.map(([, attributes, size]) => [size, attributes?.includes('aria-current')])).toEqual([
      ['25', false],
      ['50', true],
      ['100', false],
    ]);
  });
});

describe('form', () => {
  const form = html(
    <Form
      errors={{ email: 'TAKEN' }}
      labels={{ email: 'E-mail' }}
      translateError={(code, field) => `${field} ${code}`}
      values={{ email: 'a@b.c', password: 'secret' }}
    >
      <Field name="email" label="E-mail" hint="For log-in">
        <TextInput type="email" defaultValue="old@b.c" />
      </Field>
      <Field name="password" label="Password" required>
        <PasswordInput />
      </Field>
    </Form>,
  );
  test('the form is an ordinary POST form', () => {
    expect(form).toMatch(/^<form[^>]+action="\/"[^>]+method="post"/);
  });
  test('the form ties an error to its field and links to it from the summary', () => {
    const id = /<label class="sp-field__label" for="([^"]+)"/.exec(form)?.[1] ?? 'none';
    expect(form).toContain(`href="#${id}"`);
    expect(form).toContain(`aria-describedby="${id}-error ${id}-hint"`);
    expect(form).toContain('E-mail: email TAKEN');
    expect(form.match(/aria-invalid="true"/g)).toHaveLength(1);
  });
  test('the form returns what was typed, but never a password', () => {
    expect(form).toContain('value="a@b.c"');
    expect(form).not.toContain('old@b.c');
    expect(form).not.toContain('secret');
  });
});

test('a slider’s number is brought into bounds and onto its step', () => {
  expect(snapToStep(2048, 256, 4096, 64)).toBe(2048);
  expect(snapToStep(2050, 256, 4096, 64)).toBe(2048);
  expect(snapToStep(9999, 256, 4096, 64)).toBe(4096);
  expect(snapToStep(9999, 256, 4100, 64)).toBe(4096);
  expect(snapToStep(-1, 256, 4096, 64)).toBe(256);
  expect(snapToStep(Number.NaN, 256, 4096, 64)).toBe(256);
  expect(snapToStep(5, 10, 0, 1)).toBe(10);
});

test('amounts have one sign and say their unit', () => {
  expect(html(<CreditAmount value={-100} variant="signed" />)).toContain('>−100</span>');
  expect(html(<CreditAmount value={50} variant="signed" />)).toContain('>+50</span>');
  expect(html(<CreditAmount value={0} variant="signed" />)).toContain('>0</span>');
  expect(html(<CreditAmount value={1284} />)).toContain('1,284 credits');
});

test('a stack of slabs fills from the bottom', () => {
  expect(slabStates(0, 480, 4)).toEqual(['none', 'none', 'none', 'none']);
  expect(slabStates(180, 480, 4)).toEqual(['full', 'part', 'none', 'none']);
  expect(slabStates(999, 480, 4)).toEqual(['full', 'full', 'full', 'full']);
  expect(slabStates(5, 0, 2)).toEqual(['none', 'none']);
});

test('a sparkline stays in its box', () => {
  for (const [x, y] of sparkPoints([5, -3, 1000, 0.5])) {
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x).toBeLessThanOrEqual(100);
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y).toBeLessThanOrEqual(32);
  }
  expect(sparkPoints([7, 7])).toEqual([
    [0, 16],
    [100, 16],
  ]);
  expect(sparkPoints([])).toEqual([]);
});

test('a counting balance ends exactly at its value', () => {
  expect(interpolate(10, 500, 0)).toBe(10);
  expect(interpolate(10, 500, 1)).toBe(500);
  expect(interpolate(10, 500, 7)).toBe(500);
  expect(interpolate(500, 10, 0.5)).toBeLessThan(255);
});

test('initials are taken from the name', () => {
  expect(['mirela.v', 'radu', 'Tobi K', 'x', '', '😀a'].map(initials)).toEqual(['MV', 'RA', 'TK', 'X', '?', '😀A']);
});
