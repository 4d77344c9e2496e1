import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/announcements/create');
const { cleanup, createEvent, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { showScreen, type } = await import('#tests/support/screens.tsx');
const create = await import('./create.tsx');

afterEach(cleanup);

const ID = (n: number): string => `0190a000-0000-7000-8000-00000000000${n}`;
const OPTIONS = {
  roles: [{ id: ID(1), name: 'Supporter' }],
  locations: [
    { id: ID(2), name: 'Frankfurt' },
    { id: ID(3), name: 'Bucharest' },
  ],
};
const CREATE = 'POST /api/admin/announcements';

/** The form of a new announcement; pictures that are sent get the ids 4, 5, … */
function showForm() {
  let pictures = 3;
  return showScreen(create, {
    url: '/mc-admin/announcements/create',
    answers: {
      'GET /api/admin/announcements/options': OPTIONS,
      'GET /api/admin/announcements/audience': { count: 3, more: false },
      'POST /api/admin/announcements/preview': { html: '' },
      'POST /api/admin/announcements/pictures': () => ({ id: ID((pictures += 1)) }),
      [CREATE]: { id: ID(9) },
    },
    session: { permissions: ['admin.root'] },
    inBrowser: true,
  });
}

const picture = (name: string) => new File([new Uint8Array([1])], name, { type: 'image/png' });
const textOf = () => screen.findByLabelText<HTMLTextAreaElement>('Text', { selector: '[name="body.en"]' });
const control = (name: string) => document.querySelector(`[name="${name}"]`) as HTMLInputElement;

/** Fires what a browser fires when something is dragged over a field. Out: whether it may be dropped there. */
function dragOver(field: HTMLElement, types: readonly string[]): boolean {
  const event = createEvent.dragOver(field, { dataTransfer: { types, files: [] } });
  fireEvent(field, event);
  return event.defaultPrevented;
}

test('pictures that are dropped on the text are taken, where text that is dragged stays the browser’s', async () => {
  const { calls } = showForm();
  const field = await textOf();
  expect(dragOver(field, ['text/plain'])).toBe(false);
  expect(dragOver(field, ['Files'])).toBe(true);
  const files = [picture('old tower.png'), picture('new.png')];
  const drop = createEvent.drop(field, { dataTransfer: { types: ['Files'], files } });
  fireEvent(field, drop);
  expect(drop.defaultPrevented).toBe(true);
  await waitFor(() => expect(field.value).toContain(ID(5)));
  expect(field.value).toMatch(new RegExp(`^!\\[old tower\\]\\(\\S*${ID(4)}\\S*\\)!\\[new\\]\\(\\S*${ID(5)}\\S*\\)$`));
  expect(calls('POST /api/admin/announcements/pictures')).toHaveLength(2);
});

test('a picture that is pasted is put where the cursor is, and text is pasted as text', async () => {
  const { calls } = showForm();
  const field = await textOf();
  type(field, 'Before. After.');
  field.setSelectionRange(8, 8);
  const files = [picture('tower.png')];
  // What an office program copies: text, with a picture of it.
  expect(fireEvent.paste(field, { clipboardData: { types: ['text/plain', 'Files'], files } })).toBe(true);
  expect(fireEvent.paste(field, { clipboardData: { types: ['Files'], files } })).toBe(false);
  await waitFor(() => expect(field.value).toContain(ID(4)));
  expect(field.value).toMatch(/^Before\. !\[tower\]\(\S+\)After\.$/);
  expect(calls('POST /api/admin/announcements/pictures')).toHaveLength(1);
});

test('a new announcement goes out at its hour, ends at another, and is for a place, in two languages', async () => {
  const { calls } = showForm();
  await textOf();
  type(control('title.en'), 'Faster disks');
  type(control('body.en'), 'All of **them**.');
  type(control('title.ro'), 'Discuri mai rapide');
  type(control('summary.ro'), 'De marți.');
  type(control('body.ro'), 'Pe **toate**.');
  fireEvent.change(control('publish'), { target: { value: 'at' } });
  type(control('publish_at'), '2026-12-01T18:30');
  type(control('end_at'), '2026-12-08T09:00');
  type(control('tags'), 'update,  disks,');
  expect(document.querySelector('[name="targets.locations"]')).toBeNull();
  fireEvent.change(control('audience'), { target: { value: 'locations' } });
  fireEvent.click(screen.getByRole('checkbox', { name: 'Bucharest' }));
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(calls(CREATE)).toHaveLength(1));
  expect(calls(CREATE)[0]?.body).toEqual({
    texts: [
      { locale: 'en', title: 'Faster disks', summary: '', body: 'All of **them**.' },
      { locale: 'ro', title: 'Discuri mai rapide', summary: 'De marți.', body: 'Pe **toate**.' },
    ],
    tags: ['update', 'disks'],
    picture: '',
    audience: 'locations',
    targets: [ID(3)],
    pinned: false,
    urgent: false,
    notifies: true,
    mails: true,
    pushes: true,
    publish_at: '2026-12-01T18:30:00.000Z',
    end_at: '2026-12-08T09:00:00.000Z',
  });
});

test('what is to go out at an hour needs one, and what is wrong in a language is said at its field', async () => {
  const { calls } = showForm();
  await textOf();
  type(control('title.en'), 'Faster disks');
  type(control('body.en'), 'All of them.');
  type(control('title.de'), 'Schnellere Platten');
  fireEvent.change(control('publish'), { target: { value: 'at' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(control('publish_at').getAttribute('aria-invalid')).toBe('true'));
  expect(control('body.de').getAttribute('aria-invalid')).toBe('true');
  expect(control('body.en').getAttribute('aria-invalid')).toBeNull();
  expect(calls(CREATE)).toHaveLength(0);
});
