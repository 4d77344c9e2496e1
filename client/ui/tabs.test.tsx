import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('http://127.0.0.1/');
const { cleanup, render } = await import('@testing-library/react');
const { MemoryRouter } = await import('react-router');
const { Tabs } = await import('./tabs.tsx');
afterEach(cleanup);

/** A row of eight tabs, 100 pixels each, of which 300 pixels are seen: there is no layout in tests. */
function row(current: number) {
  const items = Array.from({ length: 8 }, (_, index) => ({
    to: `/account?tab=${index}`,
    label: `Tab ${index}`,
    current: index === current,
  }));
  return (
    <MemoryRouter>
      <Tabs label="Parts" items={items} />
    </MemoryRouter>
  );
}

test('the current tab is scrolled into view, also when another becomes current', () => {
  const measured = Element.prototype.getBoundingClientRect;
  Element.prototype.getBoundingClientRect = function () {
    const nav = this.closest('nav');
    if (!nav || this === nav) return new DOMRect(0, 0, 300, 40);
    return new DOMRect([...nav.children].indexOf(this) * 100 - nav.scrollLeft, 0, 100, 40);
  };
  try {
    const { getByRole, rerender } = render(row(5));
    const nav = getByRole('navigation', { name: 'Parts' });
    expect(nav.scrollLeft).toBe(400);
    expect(getByRole('link', { current: 'page' }).textContent).toBe('Tab 5');
    rerender(row(3));
    expect(nav.scrollLeft).toBe(200);
  } finally {
    Element.prototype.getBoundingClientRect = measured;
  }
});
