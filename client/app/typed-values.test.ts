import { beforeEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/users');
const { keepTyped, restoreTyped } = await import('./typed-values.ts');
const { tabStorage } = await import('#client/lib/storage.ts');

const HTML = `
  <form class="sp-form"><input type="hidden" name="_intent" value="search" /><input name="q" value="" /></form>
  <form class="sp-form">
    <input type="hidden" name="_intent" value="save" />
    <input name="reason" value="" />
    <textarea name="text"></textarea>
    <select name="days"><option value="1">1</option><option value="30">30</option></select>
    <input type="checkbox" name="held" />
    <input type="radio" name="mode" value="a" checked /><input type="radio" name="mode" value="b" />
    <input type="password" name="password" value="" />
  </form>`;
const PAGE = { userId: 'u1', path: '/mc-admin/users' };
const control = <E extends HTMLElement = HTMLInputElement>(selector: string): E => {
  const found = document.querySelector<E>(selector);
  if (!found) throw new Error(`no ${selector}`);
  return found;
};
const values = () => [
  control('[name=reason]').value,
  control<HTMLTextAreaElement>('[name=text]').value,
  control<HTMLSelectElement>('[name=days]').value,
  control('[name=held]').checked,
  control('[value=b]').checked,
  control('[name=password]').value,
];

beforeEach(() => {
  document.body.innerHTML = HTML;
  control('[name=reason]').value = 'Two accounts';
  control<HTMLTextAreaElement>('[name=text]').value = 'more';
  control<HTMLSelectElement>('[name=days]').value = '30';
  control('[name=held]').checked = true;
  control('[value=b]').checked = true;
  control('[name=password]').value = 'plough lantern';
  keepTyped(tabStorage, document, PAGE);
  document.body.innerHTML = HTML;
});

test('what was typed is put back once as if it were typed, without passwords', () => {
  const heard: string[] = [];
  document.body.addEventListener('input', (event) => heard.push((event.target as HTMLInputElement).name));
  restoreTyped(tabStorage, document, PAGE);
  expect(values()).toEqual(['Two accounts', 'more', '30', true, true, '']);
  expect(heard).toContain('reason');
  document.body.innerHTML = HTML;
  restoreTyped(tabStorage, document, PAGE);
  expect(values()).toEqual(['', '', '1', false, false, '']);
});

test('what was typed is nobody else’s, stays on its page, and leaves out what is gone', () => {
  restoreTyped(tabStorage, document, { ...PAGE, userId: 'u2' });
  expect(values()).toEqual(['', '', '1', false, false, '']);
  restoreTyped(tabStorage, document, PAGE);
  expect(values()[0]).toBe('');
  control('[name=reason]').value = 'kept';
  keepTyped(tabStorage, document, PAGE);
  document.body.innerHTML = HTML;
  restoreTyped(tabStorage, document, { ...PAGE, path: '/auth/confirm' });
  expect(values()[0]).toBe('');
  restoreTyped(tabStorage, document, PAGE);
  expect(values()[0]).toBe('kept');
  keepTyped(tabStorage, document, PAGE);
  document.body.innerHTML = HTML.replace('<input name="reason" value="" />', '');
  restoreTyped(tabStorage, document, PAGE);
  expect(control<HTMLTextAreaElement>('[name=text]').value).toBe('');
});
